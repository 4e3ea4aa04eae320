const number = new Intl.NumberFormat('en-US')

/** `412,000 of 1,000,000 devices (41 %), 11,200 a second, 53 s left` */
export function progressLine(
  done: number,
  total: number,
  added: number,
  elapsedMs: number,
): string {
  const share = Math.floor((done / total) * 100)
  const line = `${number.format(done)} of ${number.format(total)} devices (${share} %)`
  if (added === 0 || elapsedMs === 0) return line
  const rate = added / (elapsedMs / 1000)
  const left = Math.ceil((total - done) / rate)
  return `${line}, ${number.format(Math.round(rate))} a second, ${duration(left)} left`
}

export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`
}

/** Rewrites one line of a terminal; elsewhere writes a line every ten seconds. */
export function progressWriter(out: NodeJS.WriteStream): { show(line: string): void; end(): void } {
  let shownAt = 0
  return {
    show(line) {
      if (out.isTTY) {
        out.write(`\r${line}\u001b[K`)
      } else if (Date.now() - shownAt >= 10_000) {
        out.write(`${line}\n`)
      } else return
      shownAt = Date.now()
    },
    end() {
      if (out.isTTY && shownAt > 0) out.write('\n')
    },
  }
}
