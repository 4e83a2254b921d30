import StateStore

/// The subjects that a server knows, each with its tokens and its use.
struct SubjectList: Sendable {
    /// A subject.
    struct KnownSubject: Sendable {
        fileprivate(set) var kinds: Set<Account.Kind> = []
        /// The number of its tokens that the server knows.
        fileprivate(set) var tokensCount = 0
        /// Its rights in any space.
        fileprivate(set) var rights: Rights = []
        /// The latest end of its tokens; nil if one of them does not end.
        fileprivate(set) var end: Timestamp? = Timestamp(microseconds: .min)
        fileprivate var uses: [ObjectIdentifier: SubjectUse] = [:]

        /// The actions, the refusals and the running trials of its uses.
        var actionsCount: Int { uses.values.reduce(0) { $0 + $1.actionsCount } }
        var refusalsCount: Int { uses.values.reduce(0) { $0 + $1.refusalsCount } }
        var trialsCount: Int { uses.values.reduce(0) { $0 + $1.trialsCount } }
    }

    /// The subjects by their names; "" for all tokens without one.
    private(set) var subjects: [String: KnownSubject] = [:]

    /// Adds the account of a token.
    mutating func add(_ account: Account) {
        var subject = subjects[account.subject] ?? KnownSubject()
        subject.kinds.insert(account.kind)
        if account.kind != .open { subject.tokensCount += 1 }
        subject.rights.formUnion(account.token.permissions.anywhere)
        subject.end = account.expires ? subject.end.map { max($0, account.end) } : nil
        subject.uses[ObjectIdentifier(account.use)] = account.use
        subjects[account.subject] = subject
    }

    /// Adds a use whose token the server need not know any more.
    mutating func add(_ use: SubjectUse, of name: String) {
        subjects[name, default: KnownSubject()].uses[ObjectIdentifier(use)] = use
    }
}
