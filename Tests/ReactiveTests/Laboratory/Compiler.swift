import Foundation

/// The compiler, which tests if code outside this package compiles.
enum Compiler {
    /// Returns the errors for `code`, which may use the module `Reactive`; none if it compiles.
    static func errors(in code: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("compile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // A file left in the temporary folder is harmless.
        let file = folder.appendingPathComponent("code.swift")
        try Data("import Reactive\n\(code)\n".utf8).write(to: file)

        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", try modules.path, file.path,
        ]
        let output = Pipe()
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let errors = text.split(separator: "\n").filter { $0.contains("error:") }.map(String.init)
        return errors.isEmpty && process.terminationStatus != 0 ? [text] : errors
    }

    /// The folder of the modules of this build, beside the running test bundle.
    private static var modules: URL {
        get throws {
            guard let path = CommandLine.arguments.first(where: { $0.hasSuffix(".xctest") }) else { throw NoBundle() }
            return URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("Modules")
        }
    }

    /// The tests were not started by `swift test`.
    struct NoBundle: Error {}
}
