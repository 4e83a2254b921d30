import JournalContract
import SQLiteJournal
import StateStore
import Synchronization
import Testing

@Suite struct ContractTests {
    @Test(arguments: JournalContract.all, Durability.allCases)
    func `the journal on SQLite keeps the contract`(_ article: JournalContract, _ durability: Durability) throws {
        let scratch = try Scratch()
        let number = Mutex(0)
        try article.check {
            let name = number.withLock { number in
                number += 1
                return "data-\(number)"
            }
            return try SQLiteJournal(directory: scratch.directory(name), durability: durability)
        }
    }
}
