/// Links in order of subscription. During a walk, new links may be added and any link may end. The walk skips both
/// kinds. The ended links are returned to the caller, because releasing them may run any code; the caller releases them
/// when nothing changes the list.
@usableFromInline
package struct Links<Member: AnyLink>: ~Copyable {
    @usableFromInline var members = UnmanagedArray<Member>()
    /// The number of ended links, both those still in the array and those that left a gap.
    @usableFromInline var ended: Int32 = 0
    /// The number of walks under way. No link is removed during a walk.
    @usableFromInline var readers: Int16 = 0
    /// True if links ended during a walk and are still in the array.
    @usableFromInline var isUnswept = false
    /// True if the members are listeners, which store their index. False if they are the links of one node to its
    /// sources.
    @usableFromInline let isOfListeners: Bool

    @inlinable
    init(isOfListeners: Bool) {
        self.isOfListeners = isOfListeners
    }

    @inlinable package var count: Int { Int(members.filled - ended) }

    /// A position in a walk over the links that existed at its beginning.
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

    /// Begins a walk. The caller must walk to the end.
    @inlinable
    mutating func walk() -> Walk {
        readers += 1
        return Walk(end: members.count)
    }

    /// Returns the next live link, or nil at the end of the walk.
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

    /// True if the caller must sweep after a finished walk.
    @inlinable var needsSweep: Bool { isUnswept && readers == 0 }

    /// Removes all ended links.
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

    /// Records that one link has ended. Removes all ended links when they are half of the array, so that each link
    /// costs amortized O(1).
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

    /// Removes an ended listener: at once if no walk is under way, so that nothing of it stays in memory.
    @usableFromInline
    @discardableResult
    mutating func remove(_ link: Member) -> Member? {
        let removed = readers == 0 ? members.take(at: Int(link.place)) : nil
        noteEnded()
        return removed
    }
}
