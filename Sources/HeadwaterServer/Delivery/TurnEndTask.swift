/// A sender that collects changes during a turn of the loop, and sends them at its end.
protocol TurnEndTask: AnyObject {
    /// Sends the changes of this turn.
    func endTurn()
}
