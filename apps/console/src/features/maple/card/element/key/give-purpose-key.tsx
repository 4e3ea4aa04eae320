import type { KeySet } from '@grove/contract/maple/card/key'
import { keyLengths } from '@grove/contract/maple/card/key.rules'
import {
  kindsFor,
  keyPurposes,
  type KeyPurpose,
  type PurposeKeyKind,
} from '@grove/contract/maple/card/purpose-key.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { keysQuery, refreshKeys } from './key.api.ts'

interface GivePurposeKeyProps {
  cplc: string
  /** The AIDs of the domains below the issuer's. */
  domains: readonly string[]
  onClose: () => void
}

interface GiveValues {
  purpose: KeyPurpose
  domain: string
  kind: PurposeKeyKind
  source: 'generated' | 'given' | 'onCard'
  keyLength: string
  key: string
}

const issuer = 'issuer'

/** What secret keys are encrypted with on their way through the card's channel. */
const secretKind = (sets: readonly KeySet[] | undefined): PurposeKeyKind =>
  (sets?.find(({ domain }) => domain === null) ?? sets?.[0])?.protocol === 'SCP02' ? 'DES' : 'AES'

/** Gives a security domain a key for tokens, receipts or load file signatures. */
export function GivePurposeKey({ cplc, domains, onClose }: GivePurposeKeyProps) {
  const { t } = useLingui()
  const { data } = useQuery(keysQuery(cplc))
  const secret = secretKind(data?.items)
  const other = secret === 'AES' ? 'DES' : 'AES'
  const kindWords: Record<PurposeKeyKind, string> = {
    AES: 'AES',
    DES: '3DES',
    EC: t`ECDSA with P-256`,
    RSA: 'RSA',
  }
  const purposeWords: Record<KeyPurpose, string> = {
    token: t`Tokens: the domain verifies commands of delegates`,
    receipt: t`Receipts: the card proves what a delegate did`,
    dap: t`DAP: the domain verifies signatures of load files`,
  }
  const start: GiveValues = {
    purpose: 'token',
    domain: issuer,
    kind: secret,
    source: 'generated',
    keyLength: '16',
    key: '',
  }
  return (
    <ChangeDialog
      title={t`Give a security domain a key?`}
      submitLabel={({ source }) => (source === 'onCard' ? t`Import the key` : t`Send the key`)}
      form={{
        values: start,
        check: ({ source, key }: GiveValues) => ({
          key: source !== 'generated' && key.trim() === '' ? t`Enter the key.` : undefined,
        }),
        submit: ({ purpose, domain, kind, source, keyLength, key }) =>
          api.maple.post('/api/maple/se/keys/purpose', {
            body: {
              cplc,
              purpose,
              kind,
              ...(domain !== issuer && { domain }),
              ...(source !== 'generated' && { key: key.trim() }),
              ...(source === 'onCard' && { isOnCard: true }),
              ...(source === 'generated' &&
                kind === 'AES' && {
                  keyLength: keyLengths.AES.find((bytes) => String(bytes) === keyLength),
                }),
            },
          }),
      }}
      done={({ state }) =>
        state === 'active' ? t`The key is imported.` : t`The key is on its way.`
      }
      refresh={refreshKeys}
      onClose={onClose}
    >
      {(form) => {
        const { purpose, kind, source, domain, keyLength } = form.values
        const kinds = kindsFor[purpose].filter((each) => each !== other)
        const isPair = kind === 'RSA' || kind === 'EC'
        return (
          <>
            <p>
              {source === 'onCard' ? (
                <Trans>
                  Nothing is sent to the card. With its key, Grove signs commands or verifies the
                  receipts of the card.
                </Trans>
              ) : (
                <Trans>
                  Grove sends the key with PUT KEY through a secure channel to the domain. A key
                  that the domain has for the same purpose is replaced. The keys of the channel stay
                  as they are.
                </Trans>
              )}
            </p>
            <SelectField
              label={t`Purpose`}
              value={purpose}
              words={Object.fromEntries(keyPurposes.map((each) => [each, purposeWords[each]]))}
              onChange={(next) =>
                form.set({
                  purpose: next,
                  kind: kindsFor[next].includes(kind) ? kind : secret,
                })
              }
            />
            {domains.length > 0 && (
              <SelectField
                label={t`Security domain`}
                value={domain}
                words={{
                  [issuer]: t`of the issuer`,
                  ...Object.fromEntries(domains.map((aid) => [aid, aid])),
                }}
                onChange={(next) => form.set({ domain: next })}
              />
            )}
            <SelectField
              label={t`Kind`}
              value={kind}
              words={Object.fromEntries(kinds.map((each) => [each, kindWords[each]]))}
              onChange={(next) => form.set({ kind: next })}
            />
            <SelectField
              label={t`The key is`}
              value={source}
              words={{
                generated: t`made by Grove`,
                given: t`entered here`,
                onCard: t`entered here, and on the card already`,
              }}
              onChange={(next) => form.set({ source: next })}
            />
            {source === 'generated' && kind === 'AES' && (
              <SelectField
                label={t`Key length`}
                value={keyLength}
                words={Object.fromEntries(
                  keyLengths.AES.map((bytes) => [String(bytes), `AES-${bytes * 8}`]),
                )}
                onChange={(next) => form.set({ keyLength: next })}
              />
            )}
            {source !== 'generated' && (
              <AreaField
                label={isPair ? t`Private key, or public key alone` : t`Key`}
                hint={
                  isPair
                    ? t`As PEM, without a password. With the public key alone, Grove signs nothing.`
                    : t`In hex`
                }
                rows={isPair ? 6 : 2}
                {...codeField}
                {...form.input('key')}
              />
            )}
          </>
        )
      }}
    </ChangeDialog>
  )
}
