import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const open = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes the answers of a connection that has ended. Node closes the one that is being written alone:
 * those to requests that came behind it would keep for ever what they hold until they are closed.
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
