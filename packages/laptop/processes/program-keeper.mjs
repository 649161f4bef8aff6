// Runs the program of its words until that ends, or until the process that started this one is gone, however it went: a
// program from elsewhere cannot be asked to watch its parent. Plain JavaScript, so that it loads nothing else.
import { spawn } from 'node:child_process'

const [command, ...words] = process.argv.slice(2)
const program = spawn(command, words, { stdio: 'inherit', windowsHide: true })
// A program that has not ended after ten seconds is killed.
process.once('disconnect', () => {
  program.kill()
  setTimeout(() => program.kill('SIGKILL'), 10_000).unref()
})
program.once('error', (error) => {
  console.error(`${command} cannot be run: ${error.message}`)
  process.exit(1)
})
program.once('exit', (code) => process.exit(code ?? 1))
