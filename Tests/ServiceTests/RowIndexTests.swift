import JSON
import Reactive
import ServiceInProcess
import StateStore
import Testing

/// Indexes of features in Swift.
@Suite struct RowIndexTests {
    private struct Task: Record {
        var id = ""
        var project = ""
        var title = ""
        var order = 0
        var isDone = false

        static let shape = Shape(Task()) {
            $0.required("id", \.id)
            $0.required("project", \.project)
            $0.required("title", \.title)
            $0.optional("order", \.order)
            $0.optional("isDone", \.isDone)
        }
    }

    private struct TaskState {
        let tasks = Table<String, Task>()
        let byProject: RowIndex<String, Int, String, Task>
        let byTitle: RowIndex<[String], OrderOfKeys, String, Task>
        let open: RowIndex<Bool, Int, String, Task>

        init() {
            byProject = RowIndex(of: tasks, by: \.project, sortedBy: \.order)
            byTitle = RowIndex(of: tasks, by: { [$0.project, $0.title] }, isUnique: true)
            open = RowIndex(of: tasks, by: { _ in true }, sortedBy: \.order, isFalling: true, where: { !$0.isDone })
        }
    }

    private struct Span: Record {
        var project = ""
        var from = 0
        var until = 9

        static let shape = Shape(Span()) {
            $0.required("project", \.project)
            $0.optional("from", \.from)
            $0.optional("until", \.until)
        }
    }

    private struct Pair: Record {
        var one = ""
        var other = ""

        static let shape = Shape(Pair()) {
            $0.required("one", \.one)
            $0.required("other", \.other)
        }
    }

    private struct TaskService: StateService {
        let add: AnsweringAction<Task, Int>
        let finish: Action<Span>
        let swap: Action<Pair>
        let span: AnsweringAction<Span, [String]>
        let groups: AnsweringAction<Span, Int>

        init(_ state: TaskState) {
            add = AnsweringAction { input, commit throws(Rejection) in
                var task = input
                let last = commit[state.byProject, input.project].last.flatMap { commit[state.tasks, $0] }
                task.order = (last?.order ?? 0) + 1
                commit[state.tasks, input.id] = task
                return task.order
            }
            // Each write moves the row within the group that is walked.
            finish = Action { input, commit throws(Rejection) in
                for key in commit[state.byProject, input.project] {
                    guard var task = commit[state.tasks, key] else { continue }
                    task.isDone = true
                    task.order = 100 - task.order
                    commit[state.tasks, key] = task
                }
            }
            swap = Action { input, commit throws(Rejection) in
                guard var one = commit[state.tasks, input.one], var other = commit[state.tasks, input.other] else {
                    throw .conflict("there is no such task", at: "one")
                }
                (one.title, other.title) = (other.title, one.title)
                commit[state.tasks, input.one] = one
                commit[state.tasks, input.other] = other
            }
            span = AnsweringAction { input, commit throws(Rejection) in
                Array(commit[state.byProject, input.project].from(input.from).until(input.until))
            }
            groups = AnsweringAction { _, commit throws(Rejection) in commit.groupCount(of: state.byProject) }
        }
    }

    private struct Project: Record {
        var project = ""
        static let shape = Shape(Project()) { $0.required("project", \.project) }
    }

    private struct TaskViewModel: ViewModel {
        let first: ParameterView<Project, [Task]>
        let newest: OrderedRows<String, Task>
        let projects: Observable<Int>

        init(_ state: TaskState) {
            first = ParameterView { state.byProject.list(of: $0.project, limit: 2).map { $0.rows } }
            newest = state.open.list(of: true, limit: 2)
            projects = state.byProject.groupCount()
        }
    }

    private static let main = "/v1/spaces/main/tasks"

    private func service() throws -> ServiceInProcess {
        let feature = Feature("tasks", { TaskState() }, { TaskService($0) }, { TaskViewModel($0) })
        let service = try ServiceInProcess(features: [feature])
        for (id, project, title) in [
            ("c", "home", "paint"), ("a", "home", "sweep"), ("b", "home", "cook"), ("d", "work", "paint"),
        ] {
            let input = #"{"id": "\#(id)", "project": "\#(project)", "title": "\#(title)"}"#
            #expect(try service.ask("POST \(Self.main)/add", [:], input).status == 200)
        }
        return service
    }

    private func result(_ service: ServiceInProcess, _ action: String, _ input: String) throws -> JSON? {
        try service.ask("POST \(Self.main)/\(action)", [:], input).json["result"]
    }

    private func ids(_ service: ServiceInProcess, _ view: String) throws -> [JSON?] {
        guard case .array(let rows) = try service.ask("GET \(Self.main)/\(view)").json else { return [] }
        return rows.map { $0["id"] }
    }

    // Law DOC21
    @Test func `services and view models of features in Swift read groups in their order`() throws {
        let service = try service()
        #expect(try result(service, "span", #"{"project": "home"}"#) == ["c", "a", "b"])
        #expect(try result(service, "span", #"{"project": "home", "from": 2}"#) == ["a", "b"])
        #expect(try result(service, "span", #"{"project": "home", "from": 2, "until": 3}"#) == ["a"])
        #expect(try result(service, "span", #"{"project": "none"}"#) == [])
        #expect(try result(service, "groups", #"{"project": ""}"#) == 2)
        #expect(try ids(service, "first?project=home") == ["c", "a"])
        #expect(try ids(service, "newest") == ["b", "a"])
        #expect(try service.ask("GET \(Self.main)/projects").body == "2")
        #expect(try service.ask("POST \(Self.main)/finish", [:], #"{"project": "home"}"#).status == 200)
        #expect(try ids(service, "first?project=home") == ["b", "a"] && ids(service, "newest") == ["d"])
    }

    // Law DOC21
    @Test func `a unique index of a feature in Swift refuses a second row, of what the action leaves`() throws {
        let service = try service()
        let again = try service.ask("POST \(Self.main)/add", [:], #"{"id": "z", "project": "home", "title": "cook"}"#)
        let problem = try again.json
        #expect(again.status == 409 && problem["type"] == "/problems/not-unique", "\(again.body)")
        #expect(problem["index"] == "byTitle" && problem["key"] == "z" && problem["other"] == "b", "\(again.body)")
        #expect(try ids(service, "first?project=home") == ["c", "a"])
        #expect(try service.ask("POST \(Self.main)/swap", [:], #"{"one": "a", "other": "b"}"#).status == 200)
        let swapped = try service.ask(
            "POST \(Self.main)/add", [:], #"{"id": "z", "project": "home", "title": "sweep"}"#)
        #expect(try swapped.json["other"] == "b")
    }
}
