import JSON
import StateModel

/// The part of a definition's memory that one operator or source uses: the entry of its path, and the entries below it.
struct MemorySlot {
    let memory: Memory
    /// The path within the document, as `operators/0`.
    let path: String

    /// The slot of a part of this one.
    func appending(_ token: String) -> MemorySlot {
        MemorySlot(memory: memory, path: path.isEmpty ? token : "\(path)/\(token)")
    }

    func appending(_ index: Int) -> MemorySlot { appending(String(index)) }

    /// The value of the entry; nil if there is none.
    var value: JSON? {
        get {
            guard let bytes = memory[path] else { return nil }
            do throws(JSONError) {
                return try JSON(parsing: bytes)
            } catch {
                // A slot writes trees only. Memory that is no JSON fails when its space is loaded.
                assertionFailure("the entry \(path) of \(memory.variable) is no tree: \(error)")
                return nil
            }
        }
        nonmutating set {
            memory[path] = newValue.map { value in
                var writer = JSONWriter()
                value.write(to: &writer)
                return writer.bytes
            }
        }
    }

    /// The numbers of the numbered entries below, in their order.
    var numbers: [Int] {
        let prefix = path + "/"
        return memory.keys.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }.sorted()
    }
}
