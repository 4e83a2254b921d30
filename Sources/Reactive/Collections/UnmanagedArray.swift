/// References in the order they came, in one buffer that grows and never shrinks: nothing is allocated in steady state, and going through
/// them counts no references.
@usableFromInline
@safe
package struct UnmanagedArray<Member: AnyObject>: ~Copyable {
    @usableFromInline var members: UnsafeMutablePointer<Unmanaged<Member>?>?
    // Half-width, since every node has such lines: four thousand million listeners of one thing are enough.
    @usableFromInline var filled: Int32 = 0
    @usableFromInline var capacity: Int32 = 0

    @inlinable package var count: Int { Int(filled) }

    @inlinable package init() {}

    @inlinable
    deinit {
        for index in 0..<count { unsafe members.unsafelyUnwrapped[index]?.release() }
        unsafe members?.deallocate()
    }

    /// The member at `index`, not retained: the line keeps it for as long as it is not removed.
    @inlinable
    package subscript(index: Int) -> Unmanaged<Member> {
        assert(index < count)
        return unsafe members.unsafelyUnwrapped[index].unsafelyUnwrapped
    }

    /// The member at `index`, or nil where it has been taken out.
    @inlinable
    package func slot(_ index: Int) -> Unmanaged<Member>? {
        assert(index < count)
        return unsafe members.unsafelyUnwrapped[index]
    }

    /// Takes out the member at `index`, which leaves a gap.
    @inlinable
    package mutating func take(at index: Int) -> Member {
        let member = unsafe self[index].takeRetainedValue()
        unsafe members.unsafelyUnwrapped[index] = nil
        return member
    }

    @inlinable
    package mutating func append(_ member: Member) {
        if filled == capacity { grow() }
        let retained = unsafe Unmanaged.passRetained(member)
        unsafe members.unsafelyUnwrapped.advanced(by: count).initialize(to: unsafe retained)
        filled += 1
    }

    /// Lets go of all members from `start` on.
    @inlinable
    package mutating func removeAll(from start: Int = 0) {
        while count > start {
            filled -= 1
            unsafe members.unsafelyUnwrapped[count]?.release()
        }
    }

    /// Lets go of the members that are such; the others keep their order. That must run nobody's code, as it does not where somebody else keeps them.
    @inlinable
    package mutating func removeAll(where isGone: (Member) -> Bool) {
        var kept = 0
        for index in 0..<count {
            let member = unsafe self[index]
            if unsafe member._withUnsafeGuaranteedRef(isGone) {
                unsafe member.release()
            } else {
                unsafe members.unsafelyUnwrapped[kept] = member
                kept += 1
            }
        }
        filled = Int32(kept)
    }

    /// Closes all gaps, and hands out the members that are not to stay; the others keep their order. Letting go of a member may run anybody's
    /// code, so that is for the caller to do when nobody is changing the line.
    @inlinable
    package mutating func extractAll(where isGone: (Member) -> Bool) -> [Member] {
        var gone: [Member] = []
        var kept = 0
        for index in 0..<count {
            guard let member = unsafe slot(index) else { continue }
            if unsafe member._withUnsafeGuaranteedRef(isGone) {
                unsafe gone.append(member.takeRetainedValue())
            } else {
                unsafe members.unsafelyUnwrapped[kept] = member
                kept += 1
            }
        }
        filled = Int32(kept)
        return gone
    }

    @usableFromInline
    mutating func grow() {
        let wider = max(2, capacity * 2)
        let moved = UnsafeMutablePointer<Unmanaged<Member>?>.allocate(capacity: Int(wider))
        if let members = unsafe members {
            unsafe moved.moveInitialize(from: members, count: count)
            unsafe members.deallocate()
        }
        unsafe members = moved
        capacity = wider
    }
}
