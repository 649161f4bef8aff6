// Loaded before a child's own code: asks the child to finish, as an orchestrator would, when its parent asks for it by
// a message, or when the parent is gone, however that went; then the child is ended for good a little later. By a
// message, as a signal ends a process of Windows at once.
const graceMs = 5000

process.on('message', finish)
process.once('disconnect', () => {
  setTimeout(() => process.exit(1), graceMs).unref()
  finish()
})
// The channel alone must not keep the child alive.
process.channel?.unref()

function finish() {
  if (!process.emit('SIGTERM')) process.exit(1)
}
