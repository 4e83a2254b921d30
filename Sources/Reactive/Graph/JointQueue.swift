/// The joints scheduled for this turn: a bucket queue by height, lowest first. Joints of one height run in the order of
/// scheduling.
@usableFromInline
package struct JointQueue: ~Copyable {
    /// The joints of one height.
    @usableFromInline
    final class HeightBucket {
        @usableFromInline var joints = UnmanagedArray<Joint>()
        /// The index of the first joint that has not run.
        @usableFromInline var next = 0
        @inlinable init() {}
    }

    @usableFromInline var levels: [HeightBucket] = []
    /// The number of waiting joints.
    @usableFromInline var count = 0
    /// The lowest height with a waiting joint.
    @usableFromInline var lowest = 0
    /// The greatest height scheduled in this turn.
    @usableFromInline var highest = 0

    @inlinable init() {}

    @inlinable
    mutating func append(_ joint: Joint) {
        let height = joint.height
        if height > highest { raise(to: height) }
        if height < lowest { lowest = height }
        joint.isQueued = true
        count += 1
        levels[height].joints.append(joint)
    }

    @usableFromInline
    mutating func raise(to height: Int) {
        highest = height
        while levels.count <= height { levels.append(HeightBucket()) }
    }

    /// Removes and returns the next joint. The joint stays in its bucket, and so alive, until all joints have run.
    @usableFromInline
    mutating func next() -> Unmanaged<Joint>? {
        guard count > 0 else {
            removeAll()
            return nil
        }
        count -= 1
        while true {
            let level = levels[lowest]
            if level.next < level.joints.count {
                level.next += 1
                return unsafe level.joints[level.next - 1]
            }
            lowest += 1
        }
    }

    private mutating func removeAll() {
        guard highest > 0 else { return }
        for level in levels[...highest] {
            level.next = 0
            level.joints.removeAll()
        }
        lowest = 1
        highest = 0
    }
}
