import { Trans } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { CircleCheck, Link2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import styles from './copy-link.module.css'

/** Spec §9: how long the button says that the link was copied, in milliseconds. */
const confirmationTime = 3000

/** Copies the link that opens the app; where the browser does not allow it, shows the link. */
export function CopyLink({ productId }: { productId: string }) {
  const router = useRouter()
  const [copies, setCopies] = useState(0)
  const [isRefused, setRefused] = useState(false)
  const { href } = router.buildLocation({ to: '/', search: { app: productId } })
  const link = new URL(href, location.origin).href

  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), confirmationTime)
    return () => clearTimeout(timer)
  }, [copies])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link)
      setCopies(copies + 1)
    } catch {
      setRefused(true)
    }
  }

  return (
    <div className={styles.copy}>
      <button type="button" className="button" onClick={() => void copy()}>
        {copies > 0 ? <CircleCheck size={16} aria-hidden /> : <Link2 size={16} aria-hidden />}
        <span>{copies > 0 ? <Trans>Copied</Trans> : <Trans>Copy the link</Trans>}</span>
      </button>
      <output className={copies > 0 ? 'visually-hidden' : undefined}>
        {copies > 0 && <Trans>Copied</Trans>}
        {isRefused && (
          <span className={styles.link}>
            <Trans>The browser did not allow copying. The link is:</Trans> <code>{link}</code>
          </span>
        )}
      </output>
    </div>
  )
}
