/// The joints that are to run in this turn, lowest first; at one height in the order in which they came.
@usableFromInline
package struct JointQueue: ~Copyable {
    /// The joints of one height.
    @usableFromInline
    final class Bucket {
        @usableFromInline var joints = UnmanagedArray<Joint>()
        /// The first that has not run yet.
        @usableFromInline var next = 0
        @inlinable init() {}
    }

    @usableFromInline var levels: [Bucket] = []
    /// How many joints wait.
    @usableFromInline var count = 0
    /// No joint waits below this height,
    @usableFromInline var lowest = 0
    /// and none has come above this one.
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
        while levels.count <= height { levels.append(Bucket()) }
    }

    /// The next joint. It stays in the line of its level, and so alive, until all have run.
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
