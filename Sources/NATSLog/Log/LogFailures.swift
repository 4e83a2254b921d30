import ReplicatedJournal

extension LogFailure {
    /// The failure of a request that the servers have answered with a fault.
    init(_ fault: NATSFault) {
        switch fault {
        case .notConnected, .nobody, .timedOut, .lost, .malformed: self.init(.unreachable, "\(fault)")
        case .tooLarge, .unusable: self.init(.unusable, "\(fault)")
        case .refused(NATSFault.wrongLast, _), .refused(NATSFault.wrongLastOfSubject, _):
            self.init(.refused, "\(fault)")
        case .refused(let code, _) where NATSFault.noRoom.contains(code): self.init(.full, "\(fault)")
        case .refused(NATSFault.noMessage, _): self.init(.gone, "\(fault)")
        case .refused(NATSFault.noStream, _): self.init(.unusable, "\(fault): run headwater cluster init")
        case .refused: self.init(.unreachable, "\(fault)")
        }
    }
}
