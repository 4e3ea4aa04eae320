import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** The text of a rule of the package check; `{name}` is filled with the finding's parameter. */
export interface RuleText {
  message: MessageDescriptor
  fix: MessageDescriptor
}

const zipAgain = msg`Zip the folder again with an ordinary zip program and upload the new file.`
const rename = msg`Rename the file, change the references to it, and zip the folder again.`
const slimDown = msg`Remove unused files and compress images and media.`

/** Keyed by the platform's rule IDs, which are stable; a test compares the two lists. */
export const ruleTexts: Record<string, RuleText> = {
  'not-a-zip': {
    message: msg`The file is not a zip archive.`,
    fix: msg`Upload a .zip or .ma file.`,
  },
  truncated: {
    message: msg`The archive is truncated: its end is missing.`,
    fix: msg`Create the archive again and check that it opens before you upload it.`,
  },
  'empty-archive': {
    message: msg`The archive contains no files.`,
    fix: msg`Zip the contents of your build folder.`,
  },
  'zip-too-large': {
    message: msg({ message: 'The archive is {bytes}; the limit is {limit}.' }),
    fix: slimDown,
  },
  spanned: { message: msg`The archive is one part of a set of several files.`, fix: zipAgain },
  zip64: {
    message: msg`The archive uses the zip64 format, which a package of this size does not need.`,
    fix: msg`Zip the folder again from files on disk, without the zip64 option.`,
  },
  'trailing-data': {
    message: msg({ message: 'The archive is followed by {bytes} that belong to no file.' }),
    fix: zipAgain,
  },
  'prepended-data': {
    message: msg({ message: 'The archive starts with {bytes} that belong to no file.' }),
    fix: zipAgain,
  },
  'unlisted-data': {
    message: msg({ message: 'The archive contains {bytes} that belong to no file.' }),
    fix: zipAgain,
  },
  'central-directory': {
    message: msg`The list of files at the end of the archive is damaged.`,
    fix: zipAgain,
  },
  'local-header': {
    message: msg`The header of this file inside the archive is damaged or missing.`,
    fix: zipAgain,
  },
  'header-mismatch': {
    message: msg({
      message: 'The archive contains contradictory information about this file ({field}).',
    }),
    fix: zipAgain,
  },
  'overlapping-entries': {
    message: msg({ message: 'This file shares its bytes in the archive with {other}.' }),
    fix: zipAgain,
  },
  encrypted: {
    message: msg`This file is encrypted.`,
    fix: msg`Zip the folder again without a password.`,
  },
  'compression-method': {
    message: msg({
      message:
        'This file is packed with method {method}; only stored (0) and deflate (8) are accepted.',
    }),
    fix: msg`Zip the folder again with the ordinary deflate method.`,
  },
  'special-file': {
    message: msg`This entry is a link or a device, not a file.`,
    fix: msg`Replace it with the real file and zip the folder again.`,
  },
  'folder-with-data': { message: msg`This entry is a folder but contains data.`, fix: zipAgain },
  'path-traversal': {
    message: msg`This path climbs out of the package folder.`,
    fix: msg`Zip the folder itself, so that no path contains “..”.`,
  },
  'path-absolute': {
    message: msg`This path is absolute.`,
    fix: msg`Zip the folder with relative paths: no leading slash and no drive letter.`,
  },
  'path-backslash': {
    message: msg`This path uses a backslash.`,
    fix: msg`Zip the folder with a program that writes “/” between folder names.`,
  },
  'path-not-clean': {
    message: msg`This path has an empty or “.” part.`,
    fix: msg`Zip the folder again with plain relative paths.`,
  },
  'name-too-long': {
    message: msg({ message: 'This name is {bytes} long; the limit is {limit}.' }),
    fix: rename,
  },
  'name-character': {
    message: msg({ message: 'This name contains a character that is not allowed: {code}.' }),
    fix: rename,
  },
  'name-ending': {
    message: msg`A part of this path ends with a dot or a space.`,
    fix: rename,
  },
  'name-reserved': {
    message: msg`A name in this path is reserved for a device on Windows.`,
    fix: rename,
  },
  'name-escape': {
    message: msg`This name contains a percent sign and two digits, which a browser reads as another character.`,
    fix: rename,
  },
  'name-not-utf8': {
    message: msg`This name is not written in UTF-8.`,
    fix: msg`Zip the folder with UTF-8 names, or use English letters in file names.`,
  },
  'name-mixed-scripts': {
    message: msg({
      message: 'This name mixes scripts: {letter} ({code}) looks like the Latin {latin}.',
    }),
    fix: rename,
  },
  'name-look-alike': {
    message: msg({ message: 'This path looks like {other} but has letters of another script.' }),
    fix: rename,
  },
  'duplicate-name': {
    message: msg({
      message:
        'This path cannot be distinguished from {other}: names must differ by more than case.',
    }),
    fix: rename,
  },
  'too-many-files': {
    message: msg({ message: 'The package has more than {limit} files.' }),
    fix: msg`Remove unused files or bundle small ones together.`,
  },
  'too-deep': {
    message: msg({
      message: 'This file is nested too deeply: {depth} folders; the limit is {limit}.',
    }),
    fix: msg`Move the file to a folder nearer the root.`,
  },
  'file-too-large': {
    message: msg({ message: 'This file is {bytes}; the limit is {limit}.' }),
    fix: msg`Split the file or compress it further.`,
  },
  'inflated-too-large': {
    message: msg({ message: 'Together, the unpacked files exceed {limit}.' }),
    fix: slimDown,
  },
  'compression-ratio': {
    message: msg({ message: 'This file unpacks to more than {limit} times its packed size.' }),
    fix: msg`Remove the padding from the file, or store it without compression.`,
  },
  'size-mismatch': {
    message: msg({ message: 'The unpacked size of this file is not the declared {declared}.' }),
    fix: zipAgain,
  },
  'checksum-mismatch': { message: msg`This file does not match its checksum.`, fix: zipAgain },
  'corrupt-data': { message: msg`The data of this file cannot be unpacked.`, fix: zipAgain },
  'nested-archive': {
    message: msg`This file is itself an archive.`,
    fix: msg`Unpack it and put its files in the package instead.`,
  },
  'nested-in-folder': {
    message: msg({ message: 'All files are inside “{folder}/”.' }),
    fix: msg({ message: 'Zip the contents of “{folder}”, not the folder itself.' }),
  },
  'start-page-missing': {
    message: msg`There is no start page: index.html is not at the root of the package.`,
    fix: msg`Put index.html at the root, or create a W3C package with manifest.json, app.js, app.css and pages/.`,
  },
  'required-file-missing': {
    message: msg({ message: 'A W3C package needs {file} at its root.' }),
    fix: msg({ message: 'Add {file}; app.css may be empty.' }),
  },
  'manifest-too-large': {
    message: msg({ message: 'manifest.json has more than {limit}.' }),
    fix: msg`Keep data out of the manifest.`,
  },
  'manifest-not-json': {
    message: msg`manifest.json is not a JSON object in UTF-8.`,
    fix: msg`Check the file with a JSON validator and save it as UTF-8.`,
  },
  'manifest-too-deep': {
    message: msg({ message: 'manifest.json has more than {limit} levels of arrays and objects.' }),
    fix: msg`Use fewer levels.`,
  },
  'manifest-field-missing': {
    message: msg({ message: 'manifest.json lacks {field}.' }),
    fix: msg({ message: 'Add {field} to manifest.json.' }),
  },
  'manifest-field-type': {
    message: msg({ message: 'In manifest.json, {field} must be {expected}.' }),
    fix: msg({ message: 'Correct {field} in manifest.json.' }),
  },
  'manifest-field-misplaced': {
    message: msg({ message: 'In manifest.json, {field} is inside version.' }),
    fix: msg({ message: 'Move {field} to the top level of manifest.json.' }),
  },
  'manifest-version-name': {
    message: msg`In manifest.json, version.name is not of the form X.Y.Z.`,
    fix: msg`Use three numbers, for example 1.2.0.`,
  },
  'manifest-file-missing': {
    message: msg({ message: 'manifest.json refers to {file}, which is not in the package.' }),
    fix: msg({ message: 'Add {file}, or correct {field} in manifest.json.' }),
  },
  'absolute-reference': {
    message: msg({
      message: 'This file refers to {reference} from the root of the host ({count} in the file).',
    }),
    fix: msg`Use a relative reference: a package is not served from the root of a host.`,
  },
  'system-files': {
    message: msg({
      message:
        'The package contains files left by the operating system: {count}, such as {example}.',
    }),
    fix: msg`Leave them out when you zip the folder.`,
  },
}

/** The values that the platform puts into `{expected}`, translated. */
export const expectations: Record<string, MessageDescriptor> = {
  'a text that is not empty': msg`a text that is not empty`,
  'a whole number': msg`a whole number`,
  'an object': msg`an object`,
  'a list': msg`a list`,
  'a list that is not empty': msg`a list that is not empty`,
  'a list of texts': msg`a list of texts`,
  'a language tag such as en-US': msg`a language tag such as en-US`,
}
