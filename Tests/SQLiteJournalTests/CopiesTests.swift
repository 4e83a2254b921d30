import Foundation
@testable import SQLiteJournal
import StateStore
import Testing

/// Law H8: a directory that was copied, or whose files were replaced, begins a new life. An unchanged directory
/// continues its life.
@Suite struct CopiesTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// A step of a person with a shell: `D` is the directory, `C` another one.
    private func shell(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", "D='\(scratch.directory())' C='\(scratch.directory("copy"))'; \(command)"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(command)")
    }

    /// Opens a directory, appends a few commits, and closes it.
    @discardableResult
    private func use(_ name: String = "data") throws -> LifeTable {
        let journal = try SQLiteJournal(directory: scratch.directory(name))
        defer { journal.close() }
        let version = try journal.load(.main)?.version ?? 0
        try journal.count((version + 1)...(version + 3))
        return journal.lives
    }

    /// The directory of a killed process, and its era.
    private func killed() throws -> LifeTable {
        let lives = try use()
        let child = try Child("write", scratch.directory(), "commit")
        _ = child.line()
        _ = child.kill()
        return lives
    }

    @Test(arguments: ["true", "mv $D $C; mv $C $D", "cat $D/* > /dev/null; sync", "tar -C $D -cf $C.tar ."])
    func `a directory that was only read, or moved, continues its era`(_ command: String) throws {
        for isKilled in [false, true] {
            let before = isKilled ? try killed() : try use()
            try shell(command)
            #expect(try use() == before)
        }
    }

    @Test(arguments: [
        "cp -a $D $C", "cp -r $D $C", "mkdir $C; tar -C $D -cf - . | tar -C $C -xf -", "mkdir $C; ln $D/* $C",
    ])
    func `a copy of the directory begins a new era, however the process ended`(_ command: String) throws {
        for isKilled in [false, true] {
            let before = isKilled ? try killed() : try use()
            try shell(command)
            #expect(try use("copy").era != before.era)
            try shell("rm -r $C")
        }
    }

    @Test(arguments: [
        // The old file replaces the new one: in place, and by renaming.
        "cp $C/journal.sqlite $D/journal.sqlite", "cp -a $C/journal.sqlite $D/",
        "cp $C/journal.sqlite $D/x; mv $D/x $D/journal.sqlite",
        // Like a tool that skips unchanged parts.
        "cp -a $C/. $D/", "tar -C $C -cf - . | tar -C $D -xf -", "rm -r $D; cp -a $C $D",
        "for f in $C/*; do cmp -s $f $D/${f##*/} || cp -a $f $D/; done",
    ])
    func `an offline copy that is restored begins a new era`(_ command: String) throws {
        let before = try use()
        try shell("cp -a $D $C")
        #expect(try use() == before)
        try shell("rm -f $D/journal.sqlite-wal $D/journal.sqlite-shm; \(command)")
        let after = try use()
        #expect(after.era != before.era)
        #expect(try use() == after)
    }

    @Test(
        arguments: [
            "cp $C $D/journal.sqlite", "mv $C $D/journal.sqlite", "rm $D/journal.sqlite; cp $C $D/journal.sqlite",
        ], [false, true])
    func `an online copy that is restored begins a new era`(_ command: String, isKilled: Bool) throws {
        let before: LifeTable
        if isKilled {
            before = try use()
            let child = try Child("write", scratch.directory(), "commit")
            _ = child.line()
            try copyOnline()
            _ = child.kill()
        } else {
            let journal = try SQLiteJournal(directory: scratch.directory())
            try journal.count(1...3)
            try copyOnline()
            before = journal.lives
            try journal.count(4...6)
            journal.close()
        }
        try shell("rm -f $D/journal.sqlite-wal $D/journal.sqlite-shm; \(command)")
        // A person reads the database before the start, which creates a log.
        #expect(try SQLiteJournal.check(scratch.directory()).isWhole)
        #expect(try use().era != before.era)
    }

    /// The result of `.backup`: a consistent copy of the journal as one file.
    private func copyOnline() throws {
        let connection = try DatabaseConnection(scratch.database(), .reading)
        try connection.execute("PRAGMA query_only = OFF")
        try connection.execute("VACUUM INTO '\(scratch.directory("copy"))'")
    }

    @Test(arguments: ["rm $D/life", ": > $D/life", "echo open x > $D/life", "rm $D/life; mkdir $D/life.d"])
    func `a directory without its life file begins a new era`(_ command: String) throws {
        for isKilled in [false, true] {
            let before = isKilled ? try killed() : try use()
            try shell(command)
            #expect(try use().era != before.era)
            try shell("rm -rf $D/life.d")
        }
    }
}
