import type { BrowserContext, Page } from '@playwright/test'

/** What a person waits for. All given conditions must hold in the same frame. */
export interface Expected {
  /** Names of the table's rows, from the top. */
  rows?: string[]
  /** The path of the page, with a new table of named rows. */
  path?: string
  /** A heading, in a panel or dialog that also shows the other text. */
  panel?: { heading: string; text: string }
}

export interface Frames {
  count: number
  /** Milliseconds between two frames, at most. */
  longest: number
  /** Pixels that the content moved. */
  moved: number
}

const patience = 20_000

/**
 * Times a page from inside: from the input event to the end of the first frame that shows the
 * expected content. Waiting through the browser's protocol would add its own milliseconds.
 */
export async function openTimedPage(context: BrowserContext, path: string) {
  await context.addInitScript({ content: recorder })
  const page = await context.newPage()
  await page.goto(path)
  const cdp = await context.newCDPSession(page)
  // Through the protocol: the content security policy blocks Playwright's evaluate.
  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value as Value
  }
  return {
    page,
    /**
     * Milliseconds from the first key or press of `act` until the page shows the expected content.
     */
    time: async (act: () => Promise<unknown>, expected: Expected): Promise<number> => {
      await evaluate(`inputTimer.expect(${JSON.stringify(expected)})`)
      await act()
      return evaluate<number>('inputTimer.answer()')
    },
    /** Waits for the expected content, whatever caused it. */
    settle: (expected: Expected) =>
      evaluate<void>(`inputTimer.settle(${JSON.stringify(expected)})`),
    /** Frame times while the page scrolls. */
    frames: async (act: () => Promise<unknown>): Promise<Frames> => {
      await evaluate('inputTimer.watchFrames()')
      await act()
      return evaluate<Frames>('inputTimer.frames()')
    },
  }
}

export type TimedPage = Awaited<ReturnType<typeof openTimedPage>> & { page: Page }

// A string, since the loader would rewrite a function.
const recorder = `
globalThis.inputTimer = (() => {
  const frame = () => new Promise(requestAnimationFrame)
  // A task queued within a frame runs once the frame is drawn.
  const afterFrame = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(performance.now())
    port2.postMessage(null)
  })
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const rows = () => [...document.querySelectorAll('main tbody tr[aria-label]')]
  const firstRow = () => document.querySelector('main tbody tr[aria-label]')

  let before
  const holds = ({ rows: names, path, panel }) => {
    if (names) {
      const shown = rows().map((row) => row.getAttribute('aria-label'))
      if (shown.length !== names.length || names.some((name, at) => name !== shown[at])) return false
    }
    if (path) {
      const row = firstRow()
      if (location.pathname !== path || !row || !isShown(row)) return false
      if (row.closest('table') === before) return false
    }
    if (panel) {
      const found = [...document.querySelectorAll('h1, h2, h3, [role=heading]')].some((heading) =>
        heading.textContent === panel.heading && isShown(heading) &&
        heading.closest('aside, dialog, [role=complementary], [role=dialog]')
          ?.textContent.includes(panel.text))
      if (!found) return false
    }
    return true
  }
  const until = async (condition, expected) => {
    const end = performance.now() + ${patience}
    for (;;) {
      await frame()
      if (condition()) return afterFrame()
      if (performance.now() > end)
        throw new Error('The page never showed ' + JSON.stringify(expected))
    }
  }

  let input
  for (const type of ['keydown', 'beforeinput', 'pointerdown'])
    addEventListener(type, (event) => { input ??= event.timeStamp }, { capture: true })

  let answer
  let watched
  return {
    expect(expected) {
      before = document.querySelector('main table')
      if (holds(expected)) throw new Error('The page shows it already: ' + JSON.stringify(expected))
      input = undefined
      answer = until(() => input !== undefined && holds(expected), expected)
        .then((shown) => shown - input)
      answer.catch(() => {})
    },
    answer: () => answer,
    settle(expected) {
      before = undefined
      return until(() => holds(expected), expected).then(() => {})
    },
    watchFrames() {
      const row = firstRow()
      const watch = { isOn: true, gaps: [], row, top: row.getBoundingClientRect().top }
      watched = watch
      let last = performance.now()
      const look = (now) => {
        watch.gaps.push(now - last)
        last = now
        if (watch.isOn) requestAnimationFrame(look)
      }
      requestAnimationFrame((now) => { last = now; requestAnimationFrame(look) })
    },
    frames() {
      watched.isOn = false
      const { gaps, row, top } = watched
      return {
        count: gaps.length,
        longest: Math.max(...gaps),
        moved: Math.abs(row.getBoundingClientRect().top - top),
      }
    },
  }
})()`
