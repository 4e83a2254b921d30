/// The past state that a call returns to, or the row that it erases.
protocol RestorationContent: AnyObject, Sendable {}
