import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const open = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes the responses of an ended connection. Node closes only the one being written: pipelined ones
 * behind it would never release what they hold.
 */
export function closeQueuedAnswers(server: Server): void {
  server.on('request', ({ socket }, answer: ServerResponse) => {
    const answers = open.get(socket) ?? new Set()
    if (!open.has(socket)) {
      open.set(socket, answers)
      // Later than Node closes its own.
      socket.once('close', () => setImmediate(closeAll, answers))
    }
    answers.add(answer)
    answer.once('close', () => answers.delete(answer))
  })
}

function closeAll(answers: ReadonlySet<ServerResponse>) {
  for (const answer of answers) {
    answer.destroy()
    answer.emit('close')
  }
}
