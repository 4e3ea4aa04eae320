import type { ServerResponse } from 'node:http'

/** Size and time limit of a response. */
export interface AnswerPace {
  pieceBytes: number
  pieceMs: number
  wholeMs: number
}

/** 2 kB per second, and 15 kB for the largest file of a package. */
export const answerPace: AnswerPace = {
  pieceBytes: 64 * 1024,
  pieceMs: 30_000,
  wholeMs: 10 * 60_000,
}

/**
 * Sends a body in pieces, and drops the connection of a client that does not read: meanwhile the body
 * occupies memory that others wait for.
 */
export function sendPaced(
  answer: ServerResponse,
  body: Buffer,
  { pieceBytes, pieceMs, wholeMs }: AnswerPace = answerPace,
): void {
  const { socket } = answer.req
  // A pipelined response has no connection of its own yet.
  const end = () => void socket.destroy()
  const whole = setTimeout(end, wholeMs).unref()
  const piece = setTimeout(end, pieceMs).unref()
  answer.once('close', () => {
    clearTimeout(whole)
    clearTimeout(piece)
  })
  let from = 0
  const goOn = () => {
    piece.refresh()
    while (from < body.length) {
      const next = body.subarray(from, from + pieceBytes)
      from += next.length
      if (!answer.write(next)) return void answer.once('drain', goOn)
    }
    answer.end()
  }
  goOn()
}
