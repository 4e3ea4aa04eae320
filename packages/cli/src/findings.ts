import { createHash } from 'node:crypto'
import type { Finding, Report } from './service.ts'

/** Each location of each finding, and how many more there are than the report lists. */
const placesOf = (report: Report) =>
  report.findings.flatMap((finding) => finding.places.map((place) => ({ finding, ...place })))

const beyond = ({ count, places }: Finding) => count - places.length

/** For people. A path may be any text: it is printed on one line, without control characters. */
export const asText = (report: Report): string[] =>
  report.findings.flatMap((finding) => [
    ...finding.places.map(
      ({ path, message, fix }) =>
        `${finding.severity} ${finding.rule}${path === null ? '' : ` ${plain(path)}`}: ${plain(message)} ${plain(fix)}`,
    ),
    ...(beyond(finding) > 0
      ? [`${finding.severity} ${finding.rule}: and ${beyond(finding)} more`]
      : []),
  ])

/** Workflow commands of GitHub Actions. */
export const asGitHub = (report: Report): string[] =>
  placesOf(report).map(({ finding, path, message, fix }) => {
    const file = path === null ? '' : `file=${property(path)},`
    return `::${finding.severity} ${file}title=${property(finding.rule)}::${data(`${message} ${fix}`)}`
  })

// https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
const data = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** GitLab's code quality report, in Code Climate's format. */
export const asCodeQuality = (report: Report): object[] =>
  placesOf(report).map(({ finding, path, message, fix }) => ({
    type: 'issue',
    check_name: finding.rule,
    description: `${message} ${fix}`,
    severity: finding.severity === 'error' ? 'major' : 'minor',
    fingerprint: createHash('sha256')
      .update(`${finding.rule}\0${path ?? ''}\0${message}`)
      .digest('hex'),
    location: { path: path ?? '.', lines: { begin: 1 } },
  }))

const plain = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd')
