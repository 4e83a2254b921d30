/// The name of the executable of this process, for help texts and messages.
enum ProgramName {
    static let text = ProgramArguments.all.first?.split(separator: "/").last.map(String.init) ?? "headwater"
}
