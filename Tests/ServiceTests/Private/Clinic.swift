import Hosting
import Documents
import Glibc
import JSON
import Reactive
import ServiceInProcess
import StateStore

/// A feature in Swift with private members in its rows, in a variable and in its inputs.
struct ClinicState {
    let patients = Table<String, Patient>()
    let code = Variable(Private(""))
}

struct Patient: Record {
    var name = ""
    var number = ""

    static let shape = Shape(Patient()) {
        $0.required("name", \.name)
        $0.required("number", \.number, .line(4...64), private: true)
    }
}

struct Admission: Record {
    var id = ""
    var patient = Patient()

    static let shape = Shape(Admission()) {
        $0.required("id", \.id)
        $0.required("patient", \.patient)
    }
}

struct Code: Record {
    var code = ""

    static let shape = Shape(Code()) { $0.required("code", \.code, private: true) }
}

struct PatientID: Record {
    var id = ""

    static let shape = Shape(PatientID()) { $0.required("id", \.id) }
}

struct ClinicService: StateService {
    let admit: Action<Admission>
    let lock: Action<Code>

    init(_ clinic: ClinicState) {
        admit = Action { input, commit throws(Rejection) in
            guard commit[clinic.patients, input.id] == nil else {
                throw Rejection(.conflict, "there is a patient \(input.id) already")
            }
            commit[clinic.patients, input.id] = input.patient
        }
        lock = Action { input, commit in commit[clinic.code] = Private(input.code) }
    }
}

struct ClinicViewModel: ViewModel {
    let names: OrderedRows<String, String>
    let number: ParameterView<PatientID, String>
    let code: Observable<String>

    init(_ clinic: ClinicState) {
        names = clinic.patients.map { $1.name }.sorted()
        number = ParameterView { input in clinic.patients.row(input.id).map { $0?.number ?? "" } }
        code = clinic.code.map(\.value)
    }
}

extension ServiceInProcess {
    /// A document with the same members as the clinic.
    static let ward = """
        {"feature": "ward", "home": "space", "given": ["clinic"],
         "types": {"Patient": {"type": "object", "properties": {"name": {"type": "string"},
           "number": {"type": "string", "minLength": 4, "private": true}}, "required": ["name", "number"]}},
         "state": {"patients": {"table": {"key": {"type": "string"}, "row": {"$ref": "#/types/Patient"}}},
           "code": {"value": {"type": "string", "private": true}, "initial": ""}},
         "actions": {
           "admit": {"input": {"type": "object", "properties": {"id": {"type": "string"},
               "patient": {"$ref": "#/types/Patient"}}, "required": ["id", "patient"]},
             "let": [{"name": "both", "is": "input.patient.number + input.id"}],
             "require": [{"that": "!(input.id in state.patients)", "else": {"status": 409,
               "detail": "{input.id}: {input.patient.number} {both} {state.patients[input.id].number} {state.code}"}}],
             "do": [{"put": "patients", "key": "input.id", "row": "input.patient"}],
             "answer": "{'row': state.patients[input.id], 'length': size(both)}"},
           "lock": {"input": {"type": "object", "properties": {"code": {"type": "string", "private": true}},
             "required": ["code"]}, "do": [{"set": "code", "to": "input.code"}]},
           "count": {"input": {"type": "object", "properties": {"code": {"type": "string", "private": true}},
             "required": ["code"]}, "do": [{"set": "code", "to": "string(int(input.code))"}]}},
         "views": {
           "names": {"from": "patients", "sort": "row.name", "select": "row.name"},
           "all": {"from": "patients"},
           "one": {"expression": "state.patients['a']"},
           "rows": {"expression": "state"},
           "guests": {"from": "clinic.patients"},
           "number": {"parameters": {"id": {"type": "string"}}, "expression": "state.patients[input.id].number"},
           "numbers": {"from": "patients", "select": "row.number"},
           "open": {"from": "patients", "private": true},
           "code": {"expression": "state.code"}}}
        """

    /// A service with a clinic and a ward whose private members are all SECRET, and a stream that remembers a number.
    static func withClinic(_ arguments: [String] = [], directory: String? = nil) throws -> ServiceInProcess {
        let clinic = Feature("clinic", ClinicState.init, ClinicService.init, ClinicViewModel.init)
        let service = try ServiceInProcess(
            directory: directory, arguments: arguments, documents: FeatureCompiler(), features: [clinic])
        for (request, body) in [
            ("PUT /v1/features/ward", ward), ("POST /v1/spaces/main/clinic/admit", patient),
            ("POST /v1/spaces/main/clinic/lock", #"{"code": "SECRET"}"#),
            ("POST /v1/spaces/main/ward/admit", patient),
            ("POST /v1/spaces/main/ward/lock", #"{"code": "SECRET"}"#),
            (
                "PUT /v1/spaces/main/streams/kept",
                #"{"name": "kept", "source": {"view": "ward.code"}, "operators": [{"scan": {"initialValue": "","#
                    + #" "expression": "accumulated + value"}}]}"#
            ),
            ("POST /v1/spaces/main/ward/lock", #"{"code": "SECRET again"}"#),
        ] {
            let reply = try service.ask(request, [:], body)
            guard reply.status < 300 else { throw Unready(reply: reply) }
        }
        return service
    }

    /// The input of an admission.
    static let patient = #"{"id": "a", "patient": {"name": "Ada", "number": "SECRET"}}"#

    struct Unready: Error {
        let reply: Reply
    }
}
