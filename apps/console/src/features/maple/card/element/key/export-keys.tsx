import type { KeySet } from '@grove/contract/maple/card/key'
import type { KeyWrapping } from '@grove/contract/maple/card/key.rules'
import { toHex } from '@grove/secure-element/bytes'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { CopyButton } from '../../../../../ui/text/copy-button.tsx'
import { hexVersion } from '../../hex-version.ts'
import { checkValueOf, readKey } from './check-value.ts'
import { refreshKeys } from './key.api.ts'
import { OfDomain } from './of-domain.tsx'

interface ExportValues {
  wrapping: KeyWrapping
  transportKey: string
}

/** Asks two other people whether the keys of a set may be exported under a transport key. */
export function ExportKeys({ set, onClose }: { set: KeySet; onClose: () => void }) {
  const { t } = useLingui()
  const { id, version, keyLength } = set
  const name = hexVersion(version)
  const least = keyLength * 2
  return (
    <ChangeDialog
      title={t`Export key version ${name}?`}
      submitLabel={t`Request the export`}
      form={{
        values: { wrapping: 'AES-KWP', transportKey: '' },
        check: ({ transportKey }: ExportValues) => {
          const read = readKey('AES', transportKey)
          return {
            transportKey:
              read.kind === 'notHex'
                ? t`Enter hex digits only.`
                : read.kind !== 'key'
                  ? t`Enter 32, 48 or 64 hex digits.`
                  : read.key.length < least
                    ? t`The transport key must be as long as the keys: ${least} hex digits or more.`
                    : undefined,
          }
        },
        submit: ({ wrapping, transportKey }) => {
          const read = readKey('AES', transportKey)
          return api.maple.post('/api/maple/se/keys/export', {
            body: {
              id,
              transportKey: read.kind === 'key' ? read.key : '',
              // An earlier release of Maple knows no other, and refuses the field.
              ...(wrapping !== 'AES-KWP' && { wrapping }),
            },
          })
        },
      }}
      done={() => t`The export is waiting for the approval of two other people.`}
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>
            <Trans>
              Two other people approve it. Then the three keys are encrypted with a transport key
              that the receiver has too, and you can read the result here for seven days. The keys
              stay in Grove and on the card.
            </Trans>
          </p>
          <OfDomain domain={set.domain} />
          <SelectField
            label={t({ message: 'Format', context: 'of exported keys' })}
            value={form.values.wrapping}
            words={{
              'AES-KWP': t`AES-KWP, for another Grove`,
              'TR-31': t`TR-31 key blocks, for an HSM`,
            }}
            onChange={(wrapping) => form.set({ wrapping })}
          />
          <TransportField form={form} bytes={keyLength} />
        </>
      )}
    </ChangeDialog>
  )
}

/** A transport key, with its check value once it is complete; one can be generated. */
function TransportField({ form, bytes }: { form: Form<ExportValues>; bytes: number }) {
  const { t } = useLingui()
  const [made, setMade] = useState('')
  const { transportKey } = form.values
  const checkValue = useCheckValue(transportKey)
  const make = () => {
    const key = toHex(crypto.getRandomValues(new Uint8Array(bytes)))
    setMade(key)
    form.set({ transportKey: key })
  }
  return (
    <>
      <Field
        label={t`Transport key`}
        hint={checkValue === undefined ? t`An AES key in hex` : `KCV ${checkValue}`}
        {...codeField}
        {...form.input('transportKey')}
      />
      <div className="actions">
        <button type="button" className="button small" onClick={make}>
          <KeyRound size={14} aria-hidden />
          <Trans>Create a key</Trans>
        </button>
        {transportKey !== '' && transportKey === made && (
          <CopyButton value={transportKey} label={t`Copy the key`} />
        )}
      </div>
      {transportKey !== '' && transportKey === made && (
        <p className="muted">
          <Trans>
            Copy it now, and give it to the receiver through another channel than the wrapped keys.
            Grove does not show it again.
          </Trans>
        </p>
      )}
    </>
  )
}

/** The check value of a typed key; undefined until it is complete. */
function useCheckValue(text: string): string | undefined {
  const [made, setMade] = useState<{ text: string; value: string | undefined }>()
  useEffect(() => {
    let isGone = false
    const make = async () => {
      const read = readKey('AES', text)
      const value = read.kind === 'key' ? await checkValueOf('AES', read.key) : undefined
      if (!isGone) setMade({ text, value })
    }
    void make()
    return () => {
      isGone = true
    }
  }, [text])
  return made?.text === text ? made.value : undefined
}
