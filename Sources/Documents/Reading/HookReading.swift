import JSON

extension DocumentReader {
    /// Reads the hooks, which the server keeps: their forms, but not their hosts and secrets.
    mutating func readHooks(_ json: JSON?) {
        let pointer = JSONPointer(["hooks"])
        guard let json, let object = object(json, at: pointer, "hooks") else { return }
        guard object.count <= DocumentLimits.hooks else {
            return faults.add("a document has at most \(DocumentLimits.hooks) hooks", at: pointer)
        }
        for member in object {
            let place = pointer.appending(member.key)
            guard name(.string(member.key), at: place, "hook") != nil,
                let hook = self.object(member.value, at: place, "the hook \(member.key)")
            else { continue }
            refuseOthers(in: hook, than: Keywords.hook, at: place)
            readSource(hook["source"], at: place.appending("source"))
            for text in ["url", "secret"] {
                guard let value = hook[text] else {
                    missing(text, at: place)
                    continue
                }
                if case .string = value { continue }
                faults.add("\(text) is a text", at: place.appending(text))
            }
            if let secret = hook["secret"], case .string = secret {
                _ = name(secret, at: place.appending("secret"), "secret")
            }
        }
    }

    private mutating func readSource(_ json: JSON?, at pointer: JSONPointer) {
        guard let json else { return missing("source", at: JSONPointer(pointer.tokens.dropLast())) }
        guard let source = object(json, at: pointer, "source") else { return }
        refuseOthers(in: source, than: Keywords.hookSource, at: pointer)
        guard let form = form(of: source, "source", among: Keywords.hookSource, at: pointer) else { return }
        let place = pointer.appending(form)
        guard form == "changes" else {
            if case .string? = source["view"] { return }
            return faults.add("view is the name of a view, such as cart.totalPrice", at: place)
        }
        guard let patterns = list(source["changes"] ?? .null, at: place, "changes", limit: DocumentLimits.patterns)
        else { return }
        if patterns.isEmpty { faults.add("changes names at least one action", at: place) }
        for (index, pattern) in patterns.enumerated() {
            if case .string = pattern { continue }
            faults.add("a pattern is a text, such as cart/add or cart/*", at: place.appending("\(index)"))
        }
    }
}
