extension JSON {
    /// The members of a JSON object: in document order, found by name, each name once.
    public struct Object: Sendable {
        /// A name and its value.
        public struct Member: Hashable, Sendable {
            /// The name, unescaped.
            public let key: String
            /// The value of the member.
            public var value: JSON

            @inlinable
            init(key: String, value: JSON) {
                self.key = key
                self.value = value
            }
        }

        @usableFromInline var members: [Member] = []
        @usableFromInline var index = KeyIndex()

        /// Creates an object without members.
        @inlinable
        public init() {}

        /// The value of a name. Setting an existing name keeps its position; setting nil removes the member.
        public subscript(name: String) -> JSON? {
            get { position(of: name).map { members[$0].value } }
            set {
                switch (position(of: name), newValue) {
                case (let position?, let value?): members[position].value = value
                case (nil, let value?): append(Member(key: name, value: value))
                case (let position?, nil):
                    members.remove(at: position)
                    index.rebuild(count: members.count) { [members] in members[$0].key }
                case (nil, nil): break
                }
            }
        }

        /// Appends a member; returns false if its name exists.
        @inlinable
        mutating func insert(_ name: String, _ value: consuming JSON) -> Bool {
            guard position(of: name) == nil else { return false }
            append(Member(key: name, value: value))
            return true
        }

        @inlinable
        func position(of name: String) -> Int? {
            index.position(of: name, count: members.count) { members[$0].key }
        }

        @inlinable
        mutating func append(_ member: consuming Member) {
            members.append(member)
            index.append(count: members.count) { [members] in members[$0].key }
        }
    }
}

extension JSON.Object: RandomAccessCollection {
    /// The position of the first member.
    @inlinable public var startIndex: Int { 0 }
    /// The position after the last member.
    @inlinable public var endIndex: Int { members.count }
    /// The member at a position.
    @inlinable public subscript(position: Int) -> Member { members[position] }
}

extension JSON.Object: Hashable {
    /// True if both objects have the same members, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        // Fast path: a copy that nobody has changed has the same members.
        let isCopy = unsafe left.members.withUnsafeBufferPointer { own in
            unsafe right.members.withUnsafeBufferPointer { unsafe $0.baseAddress == own.baseAddress }
        }
        if isCopy { return true }
        return left.members.indices.allSatisfy { place in
            let member = left.members[place]
            // Fast path: values from one source usually have their members in the same order.
            if CodeUnits(right.members[place].key) == CodeUnits(member.key) {
                return right.members[place].value == member.value
            }
            return right[member.key] == member.value
        }
    }

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var each = Hasher()
            each.combine(CodeUnits(member.key))
            each.combine(member.value)
            sum &+= each.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSON.Object.Member {
    /// True if both members have the same name and value.
    public static func == (left: Self, right: Self) -> Bool {
        CodeUnits(left.key) == CodeUnits(right.key) && left.value == right.value
    }

    /// Hashes the name and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(CodeUnits(key))
        hasher.combine(value)
    }
}
