import type { QueryClient } from '@tanstack/react-query'
import { createLink, useRouter, type AnyRouter } from '@tanstack/react-router'
import { useEffect, useRef, type ComponentProps } from 'react'
import { savesData } from './saves-data.ts'

/** What the router passes to its routes (routes/__root.tsx). */
export interface RouterContext {
  queryClient: QueryClient
  /** Loads the routes of the part that a URL belongs to. */
  loadRoutes: (address: string) => Promise<void>
}

/** Spec §9: a link starts loading its route this near to the viewport. */
const margin = '200px'

interface PrefetchAnchorProps extends ComponentProps<'a'> {
  /**
   * What loads once the link is within 200 px of the viewport: the page's code, or, among many links,
   * only the routes of its part. All of them load code and data on hover and on focus.
   */
  prefetch?: 'code' | 'routes' | 'none'
}

function PrefetchAnchor({ prefetch = 'code', href, children, ...props }: PrefetchAnchorProps) {
  const router = useRouter()
  const anchor = useRef<HTMLAnchorElement>(null)

  useEffect(() => {
    const element = anchor.current
    if (!element || !href || prefetch === 'none' || savesData()) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        const isWhole = prefetch === 'code'
        // A prefetch is a guess: its failure shows when the page is actually opened.
        whenQuiet(router, () => void loadCode(router, href, isWhole).catch(() => {}))
      },
      { rootMargin: margin },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [router, href, prefetch])

  return (
    <a {...props} href={href} ref={anchor}>
      {children}
    </a>
  )
}

async function loadCode(router: AnyRouter, href: string, isWhole: boolean) {
  const { pathname } = new URL(href, location.href)
  await (router.options.context as RouterContext).loadRoutes(pathname)
  if (!isWhole) return
  const [routes] = router.getMatchedRoutes(pathname)
  await Promise.all(routes.map(async (route) => router.loadRouteChunk(route)))
}

/** After the page itself has its data: a guess must not take its bandwidth. */
function whenQuiet(router: AnyRouter, run: () => void) {
  const { queryClient } = router.options.context as RouterContext
  const look = () => {
    const isBusy = router.state.status === 'pending' || queryClient.isFetching() > 0
    if (isBusy || document.readyState !== 'complete') setTimeout(look, 250)
    else run()
  }
  setTimeout(look, 250)
}

/** The router's link, which prefetches its page, unless the reader saves data. */
export const Link = createLink(PrefetchAnchor)
