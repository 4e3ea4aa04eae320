import type { Context } from './context.ts'
import { isLoopback, isSecure } from './page.ts'

/** Judges what a browser refuses a page of this origin, whatever the service answers. */
export function judgePage({ browser, report }: Context): void {
  const { base, origin } = browser
  const page = new URL(origin)
  if (page.protocol === 'https:' && !isSecure(base))
    report.wrong(
      'mixed_content',
      'The address',
      `Browsers let a page of ${origin} call no service on http:`,
      'Serve https, and use that address',
    )
  if (!isSecure(page) && !isLoopback(page))
    report.warning(
      'insecure_page',
      'The address',
      `Pages of ${origin} have no WebCrypto, since they are on http:: no token is verified there`,
      'Serve the page with https',
    )
}
