import JSON

extension DocumentReader {
    /// Reads the tests.
    mutating func tests(_ json: JSON?, at pointer: JSONPointer) -> [WrittenTest] {
        guard let json, let elements = list(json, at: pointer, "tests", limit: DocumentLimits.tests) else { return [] }
        return elements.enumerated().compactMap { test($1, at: pointer.appending("\($0)")) }
    }

    private mutating func test(_ json: JSON, at pointer: JSONPointer) -> WrittenTest? {
        guard let object = object(json, at: pointer, "a test") else { return nil }
        refuseOthers(in: object, than: Keywords.test, at: pointer)
        if object["name"] == nil { missing("name", at: pointer) }
        if object["steps"] == nil { missing("steps", at: pointer) }
        let name = object["name"].flatMap { text($0, at: pointer.appending("name"), "name") }
        let place = pointer.appending("steps")
        guard let json = object["steps"],
            let steps = list(json, at: place, "steps", limit: DocumentLimits.testSteps), let name
        else { return nil }
        var test = WrittenTest(name: String(name.prefix(200)), pointer: pointer)
        for (index, step) in steps.enumerated() {
            let place = place.appending("\(index)")
            if case .object(let object) = step, object["use"] != nil {
                test.steps += self.steps(ofFixtureUsedBy: object, at: place)
            } else if let step = testStep(step, among: ["act", "after", "expect", "use"], at: place) {
                test.steps.append((step, place))
            }
        }
        return test
    }

    // MARK: Fixtures

    /// Reads the steps that tests share.
    mutating func readFixtures(_ json: JSON?) {
        guard let json else { return }
        let pointer = JSONPointer(["fixtures"])
        guard let members = object(json, at: pointer, "fixtures") else { return }
        guard members.count <= DocumentLimits.tests else {
            return faults.add(
                "there are \(members.count) fixtures; the limit is \(DocumentLimits.tests)", at: pointer)
        }
        for member in members {
            let place = pointer.appending(member.key)
            guard let name = name(.string(member.key), at: place, "fixture") else { continue }
            fixtures.append((name, fixture(member.value, at: place)))
        }
    }

    private mutating func fixture(_ json: JSON, at pointer: JSONPointer) -> [PlacedTestStep] {
        guard let object = object(json, at: pointer, "a fixture") else { return [] }
        refuseOthers(in: object, than: Keywords.fixture, at: pointer)
        let place = pointer.appending("steps")
        guard let json = object["steps"] else {
            missing("steps", at: pointer)
            return []
        }
        guard let steps = list(json, at: place, "steps", limit: DocumentLimits.testSteps) else { return [] }
        return steps.enumerated().compactMap { index, step in
            let place = place.appending("\(index)")
            return testStep(step, among: ["act", "after", "expect"], at: place).map { ($0, place) }
        }
    }

    private mutating func steps(ofFixtureUsedBy object: JSON.Object, at pointer: JSONPointer) -> [PlacedTestStep] {
        refuseOthers(in: object, than: Keywords.useStep, at: pointer)
        guard let used = reference(object["use"], "use", at: pointer) else { return [] }
        if let fixture = fixtures.first(where: { $0.name == used.name }) { return fixture.steps }
        faults.unknown("fixture", used.name, fixtures.map(\.name), at: used.pointer)
        return []
    }

    // MARK: Steps

    private mutating func testStep(
        _ json: JSON, among forms: [String], at pointer: JSONPointer
    ) -> WrittenTest.WrittenTestStep? {
        guard let object = object(json, at: pointer, "a step of a test") else { return nil }
        guard let member = form(of: object, "a step of a test", among: forms, at: pointer) else { return nil }
        let space = object["space"].flatMap { text($0, at: pointer.appending("space"), "space") }
        switch member {
        case "act":
            refuseOthers(in: object, than: Keywords.actStep, at: pointer)
            guard let action = object["act"].flatMap({ text($0, at: pointer.appending("act"), "act") }) else {
                return nil
            }
            let input = object["input"] ?? [:]
            if self.object(input, at: pointer.appending("input"), "input") == nil { return nil }
            if let token = object["token"] { _ = self.object(token, at: pointer.appending("token"), "token") }
            var refused: JSON.Object?
            if let json = object["refused"] {
                refused = self.object(json, at: pointer.appending("refused"), "refused")
                if refused == nil { return nil }
            }
            return .act(
                action, input: input, space: space, token: object["token"], refused: refused, answer: object["answer"])
        case "after":
            refuseOthers(in: object, than: Keywords.afterStep, at: pointer)
            guard case .number(let seconds)? = object["after"], seconds >= 0,
                seconds <= Decimal(DocumentLimits.afterSeconds)
            else {
                faults.add(
                    "after is a number of seconds from 0 to \(DocumentLimits.afterSeconds)",
                    at: pointer.appending("after"))
                return nil
            }
            return .after(seconds: seconds)
        default:
            refuseOthers(in: object, than: Keywords.expectStep, at: pointer)
            guard
                let views = object["expect"].flatMap({
                    self.object($0, at: pointer.appending("expect"), "expect")
                })
            else { return nil }
            if let token = object["token"] { _ = self.object(token, at: pointer.appending("token"), "token") }
            return .expect(views, space: space, token: object["token"])
        }
    }
}
