/// Links in the order they came. While somebody goes through them others may be added, who are not yet met, and any may end, who are met no
/// more. What has ended is handed out, to be let go of when nobody is changing the links: that may run anybody's code.
@usableFromInline
package struct Links<Member: AnyLink>: ~Copyable {
    @usableFromInline var members = UnmanagedArray<Member>()
    /// How many in the line have ended, whether they are still there or have left a gap.
    @usableFromInline var ended: Int32 = 0
    /// How many are going through the line just now; nothing is removed from it meanwhile.
    @usableFromInline var readers: Int16 = 0
    /// Whether some have ended while somebody was going through the line, and are still in it.
    @usableFromInline var isUnswept = false
    /// Whether those who listen are in the line, each of whom knows its place, or the ways to what is listened to.
    @usableFromInline let isOfListeners: Bool

    @inlinable
    init(isOfListeners: Bool) {
        self.isOfListeners = isOfListeners
    }

    @inlinable package var count: Int { Int(members.filled - ended) }

    /// A way through the links that were there when it began.
    @usableFromInline
    struct Walk {
        @usableFromInline var next = 0
        @usableFromInline let end: Int
        @inlinable init(end: Int) { self.end = end }
    }

    @inlinable
    mutating func append(_ link: Member) {
        if isOfListeners { link.place = members.filled }
        members.append(link)
    }

    /// Begins a walk, which must be walked to its end.
    @inlinable
    mutating func walk() -> Walk {
        readers += 1
        return Walk(end: members.count)
    }

    /// The next live link, or nil at the end of the walk.
    @inlinable
    mutating func next(of walk: inout Walk) -> Unmanaged<Member>? {
        while walk.next < walk.end {
            let link = unsafe members.slot(walk.next)
            walk.next += 1
            if let link = unsafe link, unsafe link._withUnsafeGuaranteedRef({ $0.isLive }) { return unsafe link }
        }
        readers -= 1
        return nil
    }

    /// Whether a walk that has come to its end is to be followed by a sweep.
    @inlinable var needsSweep: Bool { isUnswept && readers == 0 }

    /// Removes all that has ended.
    @usableFromInline
    @discardableResult
    mutating func sweep() -> [Member] {
        ended = 0
        isUnswept = false
        let removed = members.extractAll { !$0.isLive }
        guard isOfListeners else { return removed }
        for index in 0..<members.count { unsafe members[index]._withUnsafeGuaranteedRef { $0.place = Int32(index) } }
        return removed
    }

    /// Notes that one of the links has ended, and removes it with the others when that is half of all, so that each link pays a constant for it.
    @usableFromInline
    @discardableResult
    mutating func noteEnded() -> [Member] {
        ended += 1
        guard readers == 0 else {
            isUnswept = true
            return []
        }
        return ended * 2 >= members.filled ? sweep() : []
    }

    /// Removes a listener that has ended: at once where nobody is going through the line, since nothing of it is to be kept.
    @usableFromInline
    @discardableResult
    mutating func remove(_ link: Member) -> Member? {
        let removed = readers == 0 ? members.take(at: Int(link.place)) : nil
        noteEnded()
        return removed
    }
}
