/// The past state that a call returns to, the row that it erases, or the actions that it performs.
package protocol RestorationContent: AnyObject, Sendable {}
