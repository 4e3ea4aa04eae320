import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FileKey, X } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { Field } from '../../../../../ui/field/field.tsx'
import { useFileChoice } from '../../../../../ui/file/use-file-choice.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { isAid, plain } from './instance-fields.tsx'
import { readTokens, type CommandToken } from '../../delegation-files.ts'
import styles from './install.module.css'

/** On whose behalf an operation is done: the domain as typed, and tokens from a file. */
export interface Delegation {
  domain: string
  tokens: CommandToken[] | undefined
}

export const ofIssuer: Delegation = { domain: '', tokens: undefined }

export const isDelegationValid = ({ domain }: Delegation): boolean =>
  domain.trim() === '' || isAid(domain)

/** The AID of the domain as the service takes it; undefined for the issuer's. */
export const domainOf = ({ domain }: Delegation): string | undefined =>
  domain.trim() === '' ? undefined : plain(domain).toUpperCase()

interface DelegationFieldsProps {
  /** An element of the operation, whose domains are suggested. */
  cplc: string | undefined
  value: Delegation
  onChange: (next: Delegation) => void
}

/** Chooses a domain other than the issuer's, and the tokens that someone else generated for it. */
export function DelegationFields({ cplc, value, onChange }: DelegationFieldsProps) {
  const { t } = useLingui()
  const { domain, tokens } = value
  const [problem, setProblem] = useState<string>()
  const [isToggled, setOpen] = useState<boolean>()
  const isOpen = isToggled ?? domain !== ''
  const list = useId()
  const { data } = useQuery({
    ...api.maple.query('/api/maple/se/domains', { query: { cplc: cplc ?? '' } }),
    enabled: isOpen && cplc !== undefined,
  })
  const known = data?.items.filter(({ parent }) => parent !== null) ?? []
  const file = useFileChoice({
    accept: '.json',
    onFiles: ([chosen]) => void read(chosen),
  })
  const read = async (chosen: File | undefined) => {
    if (!chosen) return
    const found = readTokens(await chosen.text())
    setProblem(found ? undefined : t`This file has no tokens that Grove can read.`)
    if (found) onChange({ ...value, tokens: found })
  }
  const count = tokens?.length ?? 0
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Trans>In the name of another security domain</Trans>
      </summary>
      <div className={styles.more}>
        <Field
          label={t`Security domain`}
          hint={t`Its AID. Its keys open the channel, and it gets the package. Empty: the domain of the issuer.`}
          {...codeField}
          list={list}
          value={domain}
          error={isDelegationValid(value) ? undefined : t`Enter 5 to 16 bytes as hex.`}
          onChange={({ target }) => onChange({ ...value, domain: target.value })}
        />
        <datalist id={list}>
          {known.map(({ aid }) => (
            <option key={aid}>{aid}</option>
          ))}
        </datalist>
        {domain !== '' && (
          <>
            <p className="muted">
              <Trans>
                A domain with delegated management needs a token for each command. If Grove has the
                card’s key for tokens, it makes them once another person has approved. Otherwise let
                whoever has that key make them: check first, and save the commands.
              </Trans>
            </p>
            <div className="actions">
              <button type="button" className="button" onClick={file.choose}>
                <FileKey size={16} aria-hidden />
                <Trans>Open tokens…</Trans>
              </button>
              {file.input}
              {tokens && (
                <>
                  <output>
                    <Trans>Tokens: {count}</Trans>
                  </output>
                  <button
                    type="button"
                    className="button"
                    onClick={() => onChange({ ...value, tokens: undefined })}
                  >
                    <X size={16} aria-hidden />
                    <Trans>Without them</Trans>
                  </button>
                </>
              )}
            </div>
            {problem && (
              <div className="field-error" role="alert">
                {problem}
              </div>
            )}
          </>
        )}
      </div>
    </details>
  )
}
