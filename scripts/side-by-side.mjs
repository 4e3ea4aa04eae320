// Runs commands in parallel without mixing their output.
import { spawn } from 'node:child_process'
import { root } from './workspace.mjs'

const heartbeat = 20_000

/**
 * @typedef {object} Task
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} [env]
 * @property {string} [hint] What to do when it fails.
 * @property {boolean} [isShown] Also prints the output of a success.
 */

/**
 * Runs all tasks to the end. The output of each is printed in one piece when it ends; from time to
 * time a line lists those still running.
 * @param {Task[]} tasks
 * @returns {Promise<string[]>} The names of those that failed.
 */
export async function sideBySide(tasks) {
  const running = new Map()
  const timer = setInterval(() => {
    const names = [...running].map(([name, started]) => `${name} (${seconds(started, 0)} s)`)
    console.log(`  … ${names.join(', ')}`)
  }, heartbeat)
  const children = new Set()
  const stop = () => {
    for (const child of children) child.kill('SIGTERM')
  }
  process.once('SIGTERM', stop)
  process.once('exit', stop)
  const failed = await Promise.all(
    tasks.map(async (task) => {
      const started = Date.now()
      running.set(task.name, started)
      const { status, output } = await run(task, children)
      running.delete(task.name)
      const isOk = status === 0
      console.log(`${task.name} … ${isOk ? 'done' : 'failed'} (${seconds(started, 1)} s)`)
      if (!isOk || task.isShown) console.log(output.trimEnd())
      if (!isOk && task.hint) console.log(task.hint)
      return isOk ? [] : [task.name]
    }),
  )
  clearInterval(timer)
  process.off('SIGTERM', stop)
  process.off('exit', stop)
  return failed.flat()
}

/** @returns {Promise<{ status: number | null, output: string }>} */
function run({ command, args, env }, children) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    const chunks = []
    const end = (status, more = '') => {
      children.delete(child)
      resolve({ status, output: Buffer.concat(chunks).toString() + more })
    }
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.once('error', (error) => end(1, error.message))
    child.once('close', (status) => end(status))
  })
}

const seconds = (started, digits) => ((Date.now() - started) / 1000).toFixed(digits)
