import JSON

extension DocumentReader {
    /// Reads a schedule.
    mutating func schedule(_ name: String, _ json: JSON, at pointer: JSONPointer) -> WrittenSchedule? {
        guard let object = object(json, at: pointer, "the schedule \(name)") else { return nil }
        guard let member = form(of: object, "the schedule \(name)", among: ["for", "every", "cron"], at: pointer) else {
            return nil
        }
        let form: WrittenSchedule.WrittenScheduleForm?
        switch member {
        case "for":
            refuseOthers(in: object, than: Keywords.rowSchedule, at: pointer)
            let target = reference(object["for"], "for", at: pointer)
            let at = expression(object, "at", at: pointer)
            form = if let target, let at { .rows(target, at: at) } else { nil }
        case "every":
            refuseOthers(in: object, than: Keywords.everySchedule, at: pointer)
            let isExact = truth(object["exact"], at: pointer.appending("exact"), "exact", false)
            form = object["every"].flatMap {
                count($0, at: pointer.appending("every"), "every", in: 1...DocumentLimits.afterSeconds)
            }.map { .every(seconds: $0, isExact: isExact) }
        default:
            refuseOthers(in: object, than: Keywords.calendarSchedule, at: pointer)
            let cron = object["cron"].flatMap { text($0, at: pointer.appending("cron"), "cron") }
            let zone = object["zone"].map { text($0, at: pointer.appending("zone"), "zone") } ?? "UTC"
            form = if let cron, let zone { .calendar(cron, zone: zone) } else { nil }
        }
        guard let action = reference(object["act"], "act", at: pointer), let form else { return nil }
        var schedule = WrittenSchedule(name: name, pointer: pointer, form: form, action: action)
        schedule.input = expression(ifThere: object, "input", at: pointer)
        switch object["missed"] {
        case nil, "once"?: break
        case "skip"?: schedule.skipsMissed = true
        default: faults.add("missed is once or skip", at: pointer.appending("missed"), allowed: ["once", "skip"])
        }
        return schedule
    }

    /// Reads the rules of the feature.
    mutating func rules(_ json: JSON?, at pointer: JSONPointer) -> WrittenRules {
        var rules = WrittenRules()
        guard let json, let object = object(json, at: pointer, "allow") else { return rules }
        refuseOthers(in: object, than: Keywords.rules, at: pointer)
        rules.read = expression(ifThere: object, "read", at: pointer)
        rules.act = expression(ifThere: object, "act", at: pointer)
        return rules
    }
}
