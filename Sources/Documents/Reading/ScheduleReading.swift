import Expressions
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
                count($0, at: pointer.appending("every"), "every", in: leastPeriod...DocumentLimits.afterSeconds)
            }.map { .recurring(.period(seconds: Int64($0), isExact: isExact)) }
        default:
            refuseOthers(in: object, than: Keywords.calendarSchedule, at: pointer)
            let calendar = object["cron"].flatMap { cron($0, at: pointer.appending("cron")) }
            let clock = zone(object["zone"] ?? "UTC", at: pointer.appending("zone"))
            form = if let calendar, let clock { .recurring(.calendar(calendar, clock)) } else { nil }
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

    private mutating func cron(_ json: JSON, at pointer: JSONPointer) -> CronCalendar? {
        guard let text = text(json, at: pointer, "cron") else { return nil }
        do throws(CronReader.CronFault) {
            return try CronReader.calendar(text)
        } catch {
            faults.add(error.description, at: pointer)
            return nil
        }
    }

    private mutating func zone(_ json: JSON, at pointer: JSONPointer) -> ZoneClock? {
        guard let name = text(json, at: pointer, "zone") else { return nil }
        if let clock = ZoneClock(name) { return clock }
        faults.add(
            "there is no time zone \"\(name.prefix(64))\"; use a name of the time zone database, such as Europe/Paris, or an offset such as +02:00",
            at: pointer)
        return nil
    }

    /// Reads the rules of the feature.
    mutating func rules(_ json: JSON?, at pointer: JSONPointer) -> WrittenRules {
        var rules = WrittenRules()
        guard let json, let object = object(json, at: pointer, "allow") else { return rules }
        refuseOthers(in: object, than: Keywords.rules, at: pointer)
        rules.read = expression(ifThere: object, "read", at: pointer)
        rules.act = expression(ifThere: object, "act", at: pointer)
        rules.edit = expression(ifThere: object, "edit", at: pointer)
        return rules
    }
}
