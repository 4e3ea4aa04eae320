import { useLingui } from '@lingui/react/macro'
import { KeyRound } from 'lucide-react'
import { services } from '../../../session/services.ts'
import { Link } from '../../../ui/link/link.tsx'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { Section } from '../../../ui/page/section.tsx'
import styles from './product-overview.module.css'

/** How a build server publishes the app. */
export function CommandSection({ productId }: { productId: string }) {
  const { t } = useLingui()
  const { origin } = location
  const url = services.cedar.url || origin
  const command = `npx --yes ${origin}/downloads/grove-cli.tgz publish dist/ --url ${url} --app ${productId}`
  return (
    <Section
      title={t`Publish from the command line`}
      description={t`A build server publishes with a key of the app’s provider, which it has in GROVE_KEY. A key creates versions, uploads packages and publishes them, and nothing else.`}
      action={
        <Link to="/dashboard/cedar/keys" className="button" prefetch="none">
          <KeyRound size={16} aria-hidden />
          {t`Publish keys`}
        </Link>
      }
    >
      <p className={styles.command}>
        <code>{command}</code>
        <CopyButton value={command} label={t`Copy the command`} />
      </p>
    </Section>
  )
}
