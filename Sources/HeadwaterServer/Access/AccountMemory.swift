import Ground

/// The accounts of the valid tokens, and the current use by each subject.
struct AccountMemory {
    /// The greatest number of JSON Web Tokens whose verification is remembered.
    static let verifiedLimit = 10_000

    /// The accounts of the token file.
    private(set) var known: [Account] = []
    /// The accounts of verified JSON Web Tokens, by the digest of the token.
    private var verified: [[UInt8]: Account] = [:]
    private var uses: [String: SubjectUseReference] = [:]
    private var usesLimit = 1_024

    /// A use, as long as an account has it.
    private struct SubjectUseReference {
        weak var use: SubjectUse?
    }

    /// Returns the account of a token of the file. All digests are compared, so the duration does not depend on the match.
    func known(_ digest: [UInt8]) -> Account? {
        known.reduce(Account?.none) { $1.token.isDigest(digest) ? $1 : $0 }
    }

    /// Returns the account of a verified token.
    func verified(_ digest: [UInt8]) -> Account? { verified[digest] }

    /// Replaces the tokens of the file. An account whose token is unchanged stays; the others are withdrawn.
    mutating func replace(tokens: [Token]) {
        let old = known
        known = tokens.map { token in
            old.first {
                $0.token.isDigest(token.digest) && $0.token.permissions == token.permissions
                    && $0.subject == token.subject
            } ?? Account(token, use: use(of: token.subject))
        }
        for account in old where !known.contains(where: { $0 === account }) { account.withdraw() }
    }

    /// Remembers the account of a verified token.
    mutating func remember(_ account: Account, isGood: (Account) -> Bool) {
        if verified.count >= Self.verifiedLimit {
            verified = verified.filter { isGood($0.value) }
            // A stream keeps its account, so nothing but work is lost.
            if verified.count >= Self.verifiedLimit { verified = [:] }
        }
        verified[account.token.digest] = account
    }

    /// Returns the subjects of the good accounts, and of the uses that go on without one.
    func subjects(isGood: (Account) -> Bool) -> SubjectList {
        var list = SubjectList()
        for account in known { list.add(account) }
        for account in verified.values where isGood(account) { list.add(account) }
        for (subject, reference) in uses {
            if let use = reference.use { list.add(use, of: subject) }
        }
        return list
    }

    /// Returns the use of a subject. Tokens of the file without a subject have one each.
    mutating func use(of subject: String) -> SubjectUse { subject.isEmpty ? SubjectUse() : shared(subject) }

    /// Returns the use that all tokens of a subject share; those of JSON Web Tokens without a subject are one.
    mutating func shared(_ subject: String) -> SubjectUse {
        if let use = uses[subject]?.use { return use }
        if uses.count >= usesLimit {
            uses = uses.filter { $0.value.use != nil }
            usesLimit = max(1_024, 2 * uses.count)
        }
        let use = SubjectUse()
        uses[subject] = SubjectUseReference(use: use)
        return use
    }
}
