/** A window of a browser that Playwright does not drive. */
export interface Driven {
  /** Settles when the page has loaded. */
  open: (url: string) => Promise<void>
  reload: () => Promise<void>
  /** Runs in the page, which has nothing but the arguments; both ways only what JSON can say. */
  run: <Given extends readonly unknown[], Answer>(
    work: (...given: Given) => Answer,
    ...given: Given
  ) => Promise<Answer>
  close: () => Promise<void>
}

/** What an installed browser is known by. */
export interface DrivenBrowser {
  name: string
  /** The packages of Debian that it comes in. */
  needs: string
  isHere: boolean
  start: () => Promise<Driven>
}
