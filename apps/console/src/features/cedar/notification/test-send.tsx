import { Trans, useLingui } from '@lingui/react/macro'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text.ts'
import { api } from '../../../session/api.ts'
import { Link } from '../../../ui/link/link.tsx'
import { linkOf, textsOf, type Values } from './notification-values.ts'
import { useNotificationWords } from './notification.labels.tsx'

/** Sends the unsaved text to the test devices, and shows the result for each. */
export function TestSend({ values, productId }: { values: Values; productId: string }) {
  const { t, i18n } = useLingui()
  const { failureOf } = useNotificationWords()
  const [isSending, setSending] = useState(false)
  const [results, setResults] = useState<readonly string[]>([])
  const test = async () => {
    setSending(true)
    const link = linkOf(values)
    try {
      const answer = await api.cedar.post('/api/notification/test', {
        body: { productId, translations: textsOf(values), ...(link !== null && { link }) },
      })
      setResults(
        answer.results.map(({ deviceId, name, isSent, reason }) => {
          const device = name ?? deviceId.slice(0, 8)
          const why = reason === null ? '' : failureOf(reason)
          return isSent ? t`${device}: sent` : t`${device}: not sent. ${why}`
        }),
      )
    } catch (error) {
      setResults([problemText(error, i18n)])
    } finally {
      setSending(false)
    }
  }
  const isReady = productId !== '' && textsOf(values).length > 0
  return (
    <div>
      <button
        type="button"
        className="button"
        aria-disabled={!isReady || isSending}
        onClick={() => isReady && !isSending && void test()}
      >
        <Send size={16} aria-hidden />
        {isSending ? <Trans>Sending…</Trans> : <Trans>Send a test</Trans>}
      </button>
      {productId !== '' && (
        <p className="field-hint">
          <Link to="/dashboard/cedar/mobile/$productId/devices" params={{ productId }}>
            <Trans>Choose the test devices</Trans>
          </Link>
        </p>
      )}
      <output>
        {results.map((result) => (
          <p key={result} className="field-hint">
            {result}
          </p>
        ))}
      </output>
    </div>
  )
}
