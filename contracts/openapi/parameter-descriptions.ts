/**
 * The meaning of each parameter whose schema states none, by where it stands and its name. Those that state a rule of
 * their own, such as the form of an id, are not here.
 */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  'query limit': 'The most entries of a page; 40 where it is left out and the list has pages.',
  'query page': 'The number of the page, beginning with 1.',
  'query cursor': 'The `X-Next-Cursor` of the page before: the list goes on exactly after it.',
  'query columns': 'The fields of each entry, separated by commas, or a JSON object that has them as names.',
  'query sort': 'A JSON object from fields to `1` (ascending) or `-1` (descending).',
  'query filter': 'A JSON object from fields to values: texts match by their beginning, other values as they are.',
  'query callstate': 'Only channels in this state, such as `ACTIVE`.',
  'query since':
    'The number of the last event that you have; the answer has those after it, and all that are kept with `0`.',
  'query order': 'The field to sort by; `orderValue` has the direction.',
  'query name': 'The name of one recording, where a call has several; the oldest without it.',
  'query compact': 'Shows what a dashboard needs of each event, in at most 400 bytes, and not its fields.',
  'query fields': 'Only these fields of each event, separated by commas.',
  'query file_name': 'The name that the downloaded file gets.',
  'query type': 'The content type of the recording; `all` lists all recordings of the call.',
  'query uuid':
    "The engine's name of the leg: its id, with `a_` before it where the engine marks the first leg of a call.",
  'query size': 'The bytes of the file of the message: up to 4 MiB of it go into a mail.',
  'query language': 'The language of the mailboxes of the engine, such as `en`; by default that of each call.',
  'query cache': 'How long the engine may keep the answer: milliseconds, at most 2100000, or `until-flushed`.',
  'path account_id': 'The login of the account.',
  'path name': 'Its name, as the list shows it.',
  'path domain_name': 'The name of the domain.',
  'path uuid': 'Its id, as the list shows it.',
  'path version': 'The number of the version, as the list shows it.',
  'path gateway_name': 'The name of the gateway.',
  'path hook_id': 'The `_id` of the hook.',
  'path delivery_id': 'The id of the delivery, as in `webhook-id`.',
  'path route_id': 'The `_id` of the route.',
  'path file': 'The name of a file of the API reference.',
}
