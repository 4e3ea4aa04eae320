import type { ServerResponse } from 'node:http'

/** What an answer has to move, and how long it may take. */
export interface AnswerPace {
  pieceBytes: number
  pieceMs: number
  wholeMs: number
}

/** 2 kB a second, and 15 kB for the largest file of a package. */
export const answerPace: AnswerPace = {
  pieceBytes: 64 * 1024,
  pieceMs: 30_000,
  wholeMs: 10 * 60_000,
}

/**
 * Sends a body in pieces, and ends the connection of whoever does not read it: the body is in memory
 * meanwhile, which others wait for.
 */
export function sendPaced(
  answer: ServerResponse,
  body: Buffer,
  { pieceBytes, pieceMs, wholeMs }: AnswerPace = answerPace,
): void {
  const { socket } = answer.req
  // An answer that waits behind another one has no connection of its own yet.
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
