import JSON

extension ValueSchema {
    /// Returns the reasons for which a value of an older schema, filled with this schema's defaults, may not satisfy
    /// this one; empty if every old value does. The pointers are places in the value, with `*` for each element or
    /// member without a name. A reason may be given although no old value has it, but none is missing.
    package func changes(from old: ValueSchema) -> [SchemaFault] {
        if self === old { return [] }
        var changes = SchemaChanges()
        collect(old, [], &changes)
        return changes.all
    }

    private func collect(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        guard changes.all.count < SchemaLimits.faults else { return }
        if nullable != nil || old.nullable != nil { return nullChange(old, tokens, &changes) }
        if union != nil || old.union != nil, reference == nil || old.union != nil {
            return branchChange(old, tokens, &changes)
        }
        // A value satisfies both the named type and the rest of a schema, so one of the two is enough for the old.
        if let reference {
            let schema = reference.schema
            if let oldNamed = old.reference?.schema, schema.isSatisfied(by: oldNamed, &changes) {
                // The named type is satisfied.
            } else {
                schema.collectBest(old, tokens, &changes) { schema, changes in schema.collect(old, tokens, &changes) }
            }
        }
        if let oldNamed = old.reference?.schema, isBare || isSatisfied(by: oldNamed, &changes) { return }
        guard reference == nil else { return collectOwn(old, tokens, &changes) }
        collectBest(old, tokens, &changes) { schema, changes in schema.collectOwn(old, tokens, &changes) }
    }

    /// Collects the reasons that the rules of the old schema beside its named type give. If there are some, those of the
    /// named type replace them, because they say more: the rules beside it may permit any value.
    private func collectBest(
        _ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges,
        _ collectBeside: (ValueSchema, inout SchemaChanges) -> Void
    ) {
        let before = changes.all.count
        collectBeside(self, &changes)
        guard changes.all.count > before, let oldNamed = old.reference?.schema else { return }
        changes.all.removeSubrange(before...)
        collect(oldNamed, tokens, &changes)
    }

    /// Collects the reasons that the rules of both schemas give beside their named types.
    private func collectOwn(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        if let values = old.finiteValues {
            for value in values {
                guard let fault = fault(in: filled(value)), changes.all.count < SchemaLimits.faults else { continue }
                changes.all.append(
                    SchemaFault(
                        "the old value \(value) does not satisfy the schema: \(fault)",
                        at: JSONPointer(tokens + fault.pointer.tokens)))
            }
            return
        }
        let before = changes.all.count
        kindChange(old, tokens, &changes)
        // More about a value of another type says nothing.
        guard changes.all.count == before else { return }
        choiceChange(old, tokens, &changes)
        if old.permits(.integer) || old.permits(.number) { numberChange(old, tokens, &changes) }
        if old.permits(.string) { textChange(old, tokens, &changes) }
        if old.permits(.array) { listChange(old, tokens, &changes) }
        if old.permits(.object) { memberChange(old, tokens, &changes) }
    }

    private func nullChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        if old.nullable != nil, let fault = fault(in: .null) {
            changes.all.append(
                SchemaFault(
                    "an old value may be null, which the schema does not permit: \(fault)", at: JSONPointer(tokens)))
        }
        (nullable ?? self).collect(old.nullable ?? (nullable == nil ? old : old.withoutNull), tokens, &changes)
    }

    private func branchChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        guard let before = old.union ?? old.reference?.schema.union else {
            return changes.all.append(
                SchemaFault("an old value may have none of the branches of oneOf", at: JSONPointer(tokens)))
        }
        guard let union = union ?? reference?.schema.union, union.discriminator == before.discriminator else {
            // What each branch was has to satisfy the schema.
            for branch in before.branches { collect(branch.schema, tokens, &changes) }
            return
        }
        for branch in before.branches {
            if let present = union.branches.first(where: { $0.value == branch.value }) {
                present.schema.collect(branch.schema, tokens, &changes)
            } else {
                changes.all.append(
                    SchemaFault(
                        "an old value may be \"\(branch.value)\", which the schema does not permit",
                        at: JSONPointer(tokens + [union.discriminator])))
            }
        }
    }

    /// True if the schema has no rules but those of its named type.
    private var isBare: Bool {
        guard reference != nil, union == nil, nullable == nil, kinds == nil, properties.isEmpty, required.isEmpty,
            items == nil, choices == nil,
            constant == nil, numbers == NumberRules(), lists == ListRules(), texts.isOpen, format == nil,
            case .anything = additional
        else { return false }
        return true
    }

    private func isSatisfied(by old: ValueSchema, _ changes: inout SchemaChanges) -> Bool {
        if self === old { return true }
        let pair = SchemaChanges.SchemaPair(new: ObjectIdentifier(self), old: ObjectIdentifier(old))
        if let known = changes.satisfied[pair] { return known }
        let before = changes.all
        changes.all = []
        collect(old, [], &changes)
        let isSatisfied = changes.all.isEmpty
        changes.all = before
        changes.satisfied[pair] = isSatisfied
        return isSatisfied
    }

    /// The permitted values, if the schema lists them.
    private var finiteValues: [JSON]? {
        let values = constant.map { [$0] } ?? choices
        // Other rules of the old schema may exclude some.
        return values?.filter { fault(in: $0) == nil }
    }

    private func kindChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        guard let kinds else { return }
        let oldKinds = old.kinds ?? Set(SchemaKind.allCases)
        let lost = SchemaKind.allCases.filter {
            oldKinds.contains($0) && !kinds.contains($0) && !($0 == .integer && kinds.contains(.number))
        }
        guard !lost.isEmpty else { return }
        changes.all.append(
            SchemaFault(
                "an old value may be \(lost.map(\.phrase).joined(separator: " or ")), which the schema does not permit",
                at: JSONPointer(tokens)))
    }

    private func choiceChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        guard choices != nil || constant != nil else { return }
        // Without a list, the old values are known only if they are null and bools.
        if let kinds = old.kinds, kinds.isSubset(of: [.null, .boolean]) {
            let values: [JSON] =
                (kinds.contains(.null) ? [.null] : []) + (kinds.contains(.boolean) ? [true, false] : [])
            if values.allSatisfy({ fault(in: $0) == nil }) { return }
        }
        changes.all.append(
            SchemaFault("the schema permits certain values only; old ones were any", at: JSONPointer(tokens)))
    }

    private func numberChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        let (new, was) = (numbers, old.numbers)
        func add(_ words: String) { changes.all.append(SchemaFault(words, at: JSONPointer(tokens))) }
        func isLow(_ bound: Decimal, exclusive: Bool) -> Bool {
            if let least = was.minimum, exclusive ? least > bound : least >= bound { return true }
            if let least = was.exclusiveMinimum, least >= bound { return true }
            return old.permitsIntegersOnly && (exclusive ? Decimal(Int64.min) > bound : Decimal(Int64.min) >= bound)
        }
        func isHigh(_ bound: Decimal, exclusive: Bool) -> Bool {
            if let most = was.maximum, exclusive ? most < bound : most <= bound { return true }
            if let most = was.exclusiveMaximum, most <= bound { return true }
            return old.permitsIntegersOnly && (exclusive ? Decimal(Int64.max) < bound : Decimal(Int64.max) <= bound)
        }
        if let bound = new.minimum, !isLow(bound, exclusive: false) { add("an old number may be below \(bound)") }
        if let bound = new.exclusiveMinimum, !isLow(bound, exclusive: true) {
            add("an old number may be \(bound) or below")
        }
        if let bound = new.maximum, !isHigh(bound, exclusive: false) { add("an old number may be above \(bound)") }
        if let bound = new.exclusiveMaximum, !isHigh(bound, exclusive: true) {
            add("an old number may be \(bound) or above")
        }
        if let factor = new.multipleOf {
            let isMultiple = was.multipleOf?.isMultiple(of: factor) ?? false
            if !isMultiple, !(old.permitsIntegersOnly && Decimal(1).isMultiple(of: factor)) {
                add("an old number may be no multiple of \(factor)")
            }
        }
    }

    private var permitsIntegersOnly: Bool { kinds.map { !$0.contains(.number) } ?? false }

    private func textChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        let (new, was) = (texts, old.texts)
        func add(_ words: String) { changes.all.append(SchemaFault(words, at: JSONPointer(tokens))) }
        // A date has ten characters and a UUID 36.
        let length: Int? =
            switch old.format {
            case .date: 10
            case .uuid: 36
            default: nil
            }
        if let least = new.least, least > max(was.least ?? 0, length ?? 0) {
            add("an old text may have fewer than \(least) characters")
        }
        if let most = new.most, most < min(was.most ?? .max, length ?? .max) {
            add("an old text may have more than \(most) characters")
        }
        if let pattern = new.pattern, pattern != was.pattern { add("an old text may not match the pattern") }
        if let format, format != .decimal, format != old.format {
            add("an old text may have another format than \(format.rawValue)")
        }
    }

    private func listChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        let (new, was) = (lists, old.lists)
        func add(_ words: String) { changes.all.append(SchemaFault(words, at: JSONPointer(tokens))) }
        if let least = new.least, least > was.least ?? 0 { add("an old list may have fewer than \(least) elements") }
        if let most = new.most, most < was.most ?? .max { add("an old list may have more than \(most) elements") }
        if new.isUnique, !was.isUnique, was.most ?? .max > 1 { add("an old list may have an element twice") }
        guard let items, was.most != 0 else { return }
        items.collect(old.items ?? ValueSchema(SchemaParts()), tokens + ["*"], &changes)
    }

    private func memberChange(_ old: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges) {
        let open = ValueSchema(SchemaParts())
        for property in properties {
            let place = tokens + [property.name]
            if let was = old.property(property.name) ?? property.schema.was.flatMap({ old.property($0) }) {
                property.schema.collect(was, place, &changes)
            } else {
                switch old.additional {
                case .refused: break
                case .anything: property.schema.collect(open, place, &changes)
                case .values(let was): property.schema.collect(was, place, &changes)
                }
            }
        }
        for name in required
        where !old.required.contains(name) && property(name)?.memberDefault == nil
            && !(property(name)?.was.map(old.required.contains) ?? false)
        {
            changes.all.append(
                SchemaFault("an old value may lack this member; give it a default", at: JSONPointer(tokens + [name])))
        }
        for was in old.properties
        where property(was.name) == nil && !properties.contains(where: { $0.schema.was == was.name }) {
            switch additional {
            case .anything: break
            case .values(let schema): schema.collect(was.schema, tokens + [was.name], &changes)
            case .refused:
                changes.all.append(
                    SchemaFault(
                        "an old value may have this member, which the schema does not permit",
                        at: JSONPointer(tokens + [was.name])))
            }
        }
        additionalChange(old, open, tokens, &changes)
    }

    private func additionalChange(
        _ old: ValueSchema, _ open: ValueSchema, _ tokens: [String], _ changes: inout SchemaChanges
    ) {
        switch (additional, old.additional) {
        case (_, .refused), (.anything, _): break
        case (.refused, _):
            changes.all.append(
                SchemaFault(
                    "an old value may have further members, which the schema does not permit",
                    at: JSONPointer(tokens)))
        case (.values(let schema), .anything): schema.collect(open, tokens + ["*"], &changes)
        case (.values(let schema), .values(let was)): schema.collect(was, tokens + ["*"], &changes)
        }
    }
}

extension TextRules {
    /// True if there are no rules.
    fileprivate var isOpen: Bool { least == nil && most == nil && pattern == nil }
}

/// A comparison under way. Each pair of named types is compared once, because types may share types.
private struct SchemaChanges {
    struct SchemaPair: Hashable {
        let new: ObjectIdentifier
        let old: ObjectIdentifier
    }

    var all: [SchemaFault] = []
    var satisfied: [SchemaPair: Bool] = [:]
}
