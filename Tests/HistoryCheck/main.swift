import Foundation
import HistoryChecking

// Checks a history: `HistoryCheck < LINES`, one observation of JSON a line. Prints each broken promise; the exit status is
// 1 if there is one, 2 if a line cannot be read.

var history = HistoryCheck()
do {
    while let line = readLine() {
        if !line.isEmpty { history.take(try HistoryRecord(line: line)) }
    }
} catch {
    FileHandle.standardError.write(Data("HistoryCheck: \(error)\n".utf8))
    exit(2)
}
let breaches = history.check()
for breach in breaches.prefix(100) { print(breach) }
print("\(history.count) observations, \(breaches.count) broken promises")
exit(breaches.isEmpty ? 0 : 1)
