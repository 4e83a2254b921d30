/// An array of object references in order of insertion. Its buffer grows and never shrinks, so the steady state
/// allocates nothing. Iteration does not touch reference counts.
@usableFromInline
@safe
package struct UnmanagedArray<Member: AnyObject>: ~Copyable {
    @usableFromInline var members: UnsafeMutablePointer<Unmanaged<Member>?>?
    // 32-bit counts, because every node has such arrays. Four thousand million listeners of one node are enough.
    @usableFromInline var filled: Int32 = 0
    @usableFromInline var capacity: Int32 = 0

    @inlinable package var count: Int { Int(filled) }

    @inlinable package init() {}

    @inlinable
    deinit {
        for index in 0..<count { unsafe members.unsafelyUnwrapped[index]?.release() }
        unsafe members?.deallocate()
    }

    /// Returns the member at `index`, not retained. The array keeps the member until it is removed.
    @inlinable
    package subscript(index: Int) -> Unmanaged<Member> {
        assert(index < count)
        return unsafe members.unsafelyUnwrapped[index].unsafelyUnwrapped
    }

    /// Returns the member at `index`, or nil if it was taken out.
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

    /// Releases all members from `start` on.
    @inlinable
    package mutating func removeAll(from start: Int = 0) {
        while count > start {
            filled -= 1
            unsafe members.unsafelyUnwrapped[count]?.release()
        }
    }

    /// Releases the members that satisfy the condition; the others keep their order. Precondition: the release runs no
    /// user code. This holds if other code keeps the members.
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

    /// Closes all gaps and returns the members that satisfy the condition; the others keep their order. Releasing a
    /// member may run any code, so the caller releases them when nothing changes the array.
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
