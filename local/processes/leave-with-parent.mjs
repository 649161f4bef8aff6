// Loaded before a child's own code: asks the child to finish, as an orchestrator would, when the process that started
// it is gone, however that went, and ends it for good a little later.
const graceMs = 5000

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), graceMs).unref()
  process.kill(process.pid, 'SIGTERM')
})
// The channel alone must not keep the child alive.
process.channel?.unref()
