/// Links in the order they came. While somebody goes through them others may be added, who are not yet met, and any may end, who are met no
/// more.
@usableFromInline
package struct Links<Member: AnyLink>: ~Copyable {
    @usableFromInline var line = Line<Member>()
    /// How many in the line have ended.
    @usableFromInline var ended: Int32 = 0
    /// How many are going through the line just now; nothing is removed from it meanwhile.
    @usableFromInline var readers: Int32 = 0

    @inlinable init() {}

    @inlinable package var count: Int { Int(line.filled - ended) }

    /// A way through the links that were there when it began.
    @usableFromInline
    struct Walk {
        @usableFromInline var next = 0
        @usableFromInline let end: Int
        /// What was removed at its end. It is let go of with the walk, when nobody is changing the links: that may run anybody's code.
        @usableFromInline var removed: [Member]?
        @inlinable init(end: Int) { self.end = end }
    }

    @inlinable
    mutating func append(_ link: Member) {
        link.isAttached = true
        line.append(link)
    }

    /// Begins a walk, which must be walked to its end.
    @inlinable
    mutating func walk() -> Walk {
        readers += 1
        return Walk(end: line.count)
    }

    /// The next live link, or nil at the end of the walk.
    @inlinable
    mutating func next(of walk: inout Walk) -> Unmanaged<Member>? {
        while walk.next < walk.end {
            let link = unsafe line[walk.next]
            walk.next += 1
            if unsafe link._withUnsafeGuaranteedRef({ $0.isLive }) { return unsafe link }
        }
        readers -= 1
        if ended > 0 { walk.removed = tidy() }
        return nil
    }

    /// Notes that one of the links is no longer live. What is removed is handed out, to be let go of when nobody is changing the links.
    @usableFromInline
    @discardableResult
    mutating func noteEnded() -> [Member]? {
        ended += 1
        return tidy()
    }

    /// Removes what has ended once that is half of all, so that each link pays a constant for it.
    @usableFromInline
    mutating func tidy() -> [Member]? {
        guard readers == 0, ended * 2 >= line.filled else { return nil }
        ended = 0
        return line.extractAll { !$0.isLive }
    }
}
