import type { QueryClient } from '@tanstack/react-query'
import { createLink, useRouter, type AnyRouter } from '@tanstack/react-router'
import { useEffect, useRef, type ComponentProps } from 'react'
import { savesData } from './saves-data.ts'

/** Spec §9: a link starts loading its route this near to the viewport. */
const margin = '200px'

interface PrefetchAnchorProps extends ComponentProps<'a'> {
  /** `near`: within 200 px of the viewport, on hover and on focus; `hover`: only the latter two. */
  prefetch?: 'near' | 'hover'
}

function PrefetchAnchor({ prefetch = 'near', href, children, ...props }: PrefetchAnchorProps) {
  const router = useRouter()
  const anchor = useRef<HTMLAnchorElement>(null)

  useEffect(() => {
    const element = anchor.current
    if (!element || !href || prefetch !== 'near' || savesData()) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        observer.disconnect()
        whenQuiet(router, () => void preload(router, href))
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

async function preload(router: AnyRouter, href: string) {
  const { pathname, search } = new URL(href, location.href)
  // A prefetch is a guess: its failure is shown when the page is really opened.
  await router
    .preloadRoute({ to: pathname, search: router.options.parseSearch(search) })
    .catch(() => {})
}

/** After the page itself has what it needs: a guess must not take its bandwidth. */
function whenQuiet(router: AnyRouter, run: () => void) {
  const { queryClient } = router.options.context as { queryClient: QueryClient }
  const look = () => {
    const isBusy = router.state.status === 'pending' || queryClient.isFetching() > 0
    if (isBusy || document.readyState !== 'complete') setTimeout(look, 250)
    else run()
  }
  setTimeout(look, 250)
}

/** The router's link, which loads its page before it is clicked, unless the reader saves data. */
export const Link = createLink(PrefetchAnchor)
