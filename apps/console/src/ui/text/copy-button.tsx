import { useLingui } from '@lingui/react/macro'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { notify } from '../toast/notify.ts'
import { iconName } from '../kit/tooltip.ts'

/** Spec §9: how long the button says that the value was copied, in milliseconds. */
const confirmationTime = 3000

/** Copies a value and says so for three seconds. */
export function CopyButton({ value, label }: { value: string; label?: string }) {
  const { t } = useLingui()
  const [copies, setCopies] = useState(0)

  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), confirmationTime)
    return () => clearTimeout(timer)
  }, [copies])

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopies(copies + 1)
    } catch {
      notify({ kind: 'failure', text: t`The browser did not allow copying.` })
    }
  }

  const isCopied = copies > 0
  const title = isCopied ? t`Copied` : (label ?? t`Copy`)
  return (
    <button
      type="button"
      className="button quiet icon small"
      {...iconName(title)}
      onClick={() => void copy()}
    >
      {isCopied ? <Check size={14} /> : <Copy size={14} />}
      <output className="visually-hidden">{isCopied && title}</output>
    </button>
  )
}
