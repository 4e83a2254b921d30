import JSON
import Synchronization

/// The latest edits of an encoded list, from which the patches for its readers are made. Its versions share it.
final class ListHistory: Sendable {
    /// The maximum number of bytes of edits that a history stores.
    static let bytesLimit = 1_024 * 1_024
    /// The number of bytes of edits that it stores even if the list is shorter.
    private static let leastBytes = 4 * 1_024

    let key: DigestKey
    /// The point at which the hash of the list is evaluated: a secret that follows from the key.
    let point: Residue
    private let memory = Mutex(Memory())

    private struct HistoryStep {
        let edits: [EncodedEdit]
        let size: Int
        /// The operations of the patch, once a reader has wanted them.
        var written: JSONPatch.Builder?
    }

    private struct Memory {
        /// The number of the version that the first step starts from.
        var first = 0
        var steps: [HistoryStep] = []
        var size = 0
        /// The patch over several steps that was made last.
        var latest: (from: Int, to: Int, patch: JSONPatch.Builder)?
    }

    init(_ key: DigestKey) {
        self.key = key
        point = Self.point(of: key)
    }

    static func point(of key: DigestKey) -> Residue { EncodedRow(Array("list".utf8), key).residue }

    /// Stores the edits that lead to the next version of a list, and drops the oldest if they take more bytes than the
    /// whole list: a reader that is so far behind receives the whole list.
    func append(_ edits: [EncodedEdit], listSize: Int) {
        let size = edits.reduce(0) { $0 + $1.size }
        let limit = min(Self.bytesLimit, max(Self.leastBytes, listSize))
        memory.withLock { memory in
            memory.steps.append(HistoryStep(edits: edits, size: size))
            memory.size += size
            guard memory.size > limit else { return }
            // Forgets down to half of the limit, so that a step is moved a bounded number of times. The newest step
            // stays if it fits.
            var count = 0
            while memory.size > (count < memory.steps.count - 1 ? limit / 2 : limit) {
                memory.size -= memory.steps[count].size
                count += 1
            }
            memory.steps.removeFirst(count)
            memory.first += count
        }
    }

    /// Returns the patch from one version to another, made once for all readers with the same versions; nil if a step is
    /// forgotten or the patch would be longer than `limit`.
    func patch(from base: Int, to number: Int, limit: Int) -> JSONPatch.Builder? {
        memory.withLock { memory in
            guard base >= memory.first, number >= base, number <= memory.first + memory.steps.count else { return nil }
            if let latest = memory.latest, latest.from == base, latest.to == number { return latest.patch }
            let places = base - memory.first..<number - memory.first
            guard memory.steps[places].reduce(0, { $0 + $1.size - 48 * $1.edits.count }) <= limit else { return nil }
            var patch = JSONPatch.Builder()
            for place in places {
                let written = memory.steps[place].written ?? Self.write(memory.steps[place].edits)
                memory.steps[place].written = written
                if places.count == 1 { return written }
                patch.append(written)
            }
            memory.latest = (base, number, patch)
            return patch
        }
    }

    /// Returns the edits from one version to another, in order; nil if a step is forgotten.
    func edits(from base: Int, to number: Int) -> [EncodedEdit]? {
        memory.withLock { memory in
            guard base >= memory.first, number >= base, number <= memory.first + memory.steps.count else { return nil }
            return memory.steps[base - memory.first..<number - memory.first].flatMap(\.edits)
        }
    }

    /// Returns the patch of a row: of its members that differ, or of the row if that is shorter.
    private static func replacement(of old: EncodedRow, by new: EncodedRow, at index: Int) -> JSONPatch.Builder {
        var whole = JSONPatch.Builder()
        whole.replace(new.bytes, at: index)
        do throws(JSONError) {
            let patch = JSONPatch(from: try JSON(parsing: old.bytes), to: try JSON(parsing: new.bytes))
            var parts = JSONPatch.Builder()
            parts.append(patch.moved(below: String(index)))
            return parts.count < whole.count ? parts : whole
        } catch {
            // A row that was encoded can be read, but for one that nests too deep.
            return whole
        }
    }

    private static func write(_ edits: [EncodedEdit]) -> JSONPatch.Builder {
        var patch = JSONPatch.Builder()
        for edit in edits {
            switch edit {
            case .insert(let row, let index): patch.insert(row.bytes, at: index)
            case .remove(_, let index): patch.remove(at: index)
            case .replace(let row, let old, let index): patch.append(replacement(of: old, by: row, at: index))
            case .move(let source, let target): patch.move(from: source, to: target)
            }
        }
        return patch
    }
}
