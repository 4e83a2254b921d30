/// A sender that gathers news during a turn of the loop, and sends them at its end.
protocol TurnEndTask: AnyObject {
    /// Sends what this turn has brought.
    func endTurn()
}
