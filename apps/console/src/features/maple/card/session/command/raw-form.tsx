import type { ElementSession } from '@grove/contract/maple/card/session'
import { readHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { commandLayout } from '@grove/secure-element/apdu'
import { classifyBytes, mildestPlace } from '@grove/secure-element/command-class'
import { Trans, useLingui } from '@lingui/react/macro'
import { Send } from 'lucide-react'
import { useDeferredValue, useId, useState, type KeyboardEvent, type Ref } from 'react'
import { api } from '../../../../../session/api.ts'
import { errorLabels } from '../../../base/decode/decode-error.labels.ts'
import { path } from '../session.api.ts'
import { BytePreview } from '../../command/byte-preview.tsx'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import styles from '../../command/command.module.css'
import { keptRaw } from './kept-input.ts'
import { ReservedCommand } from './reserved-command.tsx'
import { SendProblem } from './send-problem.tsx'
import { useLines } from './use-lines.ts'
import { useSend } from './use-send.ts'

interface RawFormProps {
  session: ElementSession
  refusal: string | undefined
  field: Ref<HTMLTextAreaElement>
  text: string
  onText: (text: string) => void
}

/** One command in hex, for those who may send arbitrary bytes. */
export function RawForm({ session, refusal, field, text, onText }: RawFormProps) {
  const { i18n, t } = useLingui()
  const id = useId()
  const [isPlain, setPlain] = useState(false)
  const [isSecret, setSecret] = useState(false)
  const { send, isSending, problem, forget } = useSend()
  const { isRestored } = useTypedDraft('raw', {
    typed: { text: keptRaw(text, isSecret) },
    first: { text: '' },
    restore: (draft) => onText(draft.text),
  })
  const history = useLines('raw', onText)
  const read = readCommand(useDeferredValue(text))
  const { channel } = session
  const reserved = reservedOf(read)

  const submit = async () => {
    const typed = readCommand(text)
    if (refusal !== undefined || typed instanceof DecodeError || reservedOf(typed)) return
    const ran = await send((command) =>
      api.maple.post(`${path}/{id}/raw`, {
        params: { id: session.id },
        body: { id: command, command: text, isPlain, isSecret },
      }),
    )
    if (!ran) return
    history.add(keptRaw(text, isSecret))
    onText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      void submit()
    }
    if (event.key === 'ArrowUp' && history.back(text)) event.preventDefault()
    if (event.key === 'ArrowDown' && history.forth()) event.preventDefault()
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <div className={styles.columns}>
        <div className={styles.inputs}>
          <div className="field">
            <label htmlFor={id}>{t`Command APDU in hex`}</label>
            <textarea
              ref={field}
              id={id}
              className={`input mono ${styles.raw}`}
              rows={3}
              value={text}
              placeholder="80 CA 9F 7F 00"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              aria-describedby={`${id}-hint`}
              onChange={({ target }) => {
                onText(target.value)
                forget()
              }}
              onKeyDown={onKeyDown}
            />
            <div id={`${id}-hint`} className="field-hint">
              <Trans>Enter sends it. The up arrow brings back earlier input.</Trans>
            </div>
          </div>
          {read instanceof DecodeError && read.code !== 'empty' && (
            <p className="field-error">{i18n._(decodeText(read))}</p>
          )}
          {channel && (
            <label className={styles.flag}>
              <input
                type="checkbox"
                checked={isPlain}
                onChange={({ target }) => setPlain(target.checked)}
              />
              <Trans>Bypass the secure channel, without its protection</Trans>
            </label>
          )}
          <label className={styles.flag}>
            <input
              type="checkbox"
              checked={isSecret}
              onChange={({ target }) => setSecret(target.checked)}
            />
            <Trans>Secret: never store the data</Trans>
          </label>
          {isRestored && <output className="muted">{t`Restored what you typed.`}</output>}
          <SendProblem problem={problem} />
          <button
            type="submit"
            className="button primary"
            aria-disabled={
              refusal !== undefined ||
              isSending ||
              read instanceof DecodeError ||
              reserved !== undefined
            }
          >
            <Send size={16} aria-hidden />
            {isSending ? t`Sending…` : t`Send`}
          </button>
          {refusal !== undefined && <p className="field-hint">{refusal}</p>}
          {reserved && refusal === undefined && (
            <ReservedCommand reason={reserved} cplc={session.cplc} />
          )}
        </div>
        {read instanceof Uint8Array && (
          <BytePreview commands={[read]} protocol={isPlain ? undefined : channel?.protocol} />
        )}
      </div>
    </form>
  )
}

function readCommand(text: string): Uint8Array | DecodeError {
  try {
    const bytes = readHex(text)
    commandLayout(bytes)
    return bytes
  } catch (error) {
    if (error instanceof DecodeError) return error
    throw error
  }
}

/** Why no session sends it, whatever application is selected on the card. */
const reservedOf = (read: Uint8Array | DecodeError) =>
  read instanceof Uint8Array ? classifyBytes(read, mildestPlace).reason : undefined

const decodeText = ({ code, at, expected = '', found = '' }: DecodeError) =>
  errorLabels[code]({ at, expected, found })
