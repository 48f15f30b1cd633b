"""Whether a folder of HTML is a manual that works anywhere: check_manual.py DIR. Every link leads to a page, and to a name
in it; elements are closed in order, names are unique; nothing is loaded but the style sheet and pictures beside the pages;
and every page can be reached from index.html. Prints what is wrong and "N pages, N links"."""
import html.parser
import os
import sys
import urllib.parse

VOID = {'meta', 'link', 'br', 'img', 'hr', 'col'}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.path, self.open, self.names, self.links, self.wrong = path, [], set(), [], []
        self.feed(open(path, encoding='utf-8').read())
        self.close()
        if self.open:
            self.wrong.append('not closed: ' + ' '.join(self.open))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag in ('script', 'iframe', 'object', 'form') or any(name.startswith('on') for name in values):
            self.wrong.append('is more than a page: ' + tag)
        if 'id' in values:
            if values['id'] in self.names:
                self.wrong.append('two are named ' + values['id'])
            self.names.add(values['id'])
        for name in ('href', 'src'):
            if name in values:
                self.links.append((tag, values[name]))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append('%s is closed where it is not open, line %d' % (tag, self.getpos()[0]))


top = os.path.abspath(sys.argv[1])
pages, others = {}, set()
for folder, _, files in os.walk(top):
    for file in files:
        path = os.path.join(folder, file)
        if file.endswith('.html'):
            pages[path] = Page(path)
        else:
            others.add(path)

count, reached, todo = 0, set(), [os.path.join(top, 'index.html')]
for path, page in sorted(pages.items()):
    for tag, target in page.links:
        count += 1
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            if tag != 'a':
                page.wrong.append('loads ' + target)
            continue
        to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
        if os.path.isabs(parts.path) or not to.startswith(top + os.sep):
            page.wrong.append('leads out: ' + target)
        elif to in pages:
            if parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[to].names:
                page.wrong.append('no such name: ' + target)
        elif to not in others:
            page.wrong.append('no such page: ' + target)
while todo:
    path = todo.pop()
    if path not in reached and path in pages:
        reached.add(path)
        for _, target in pages[path].links:
            part = urllib.parse.urlsplit(target)
            if part.path and not part.scheme:
                todo.append(os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(part.path))))

bad = False
for path, page in sorted(pages.items()):
    # Pages of names that others have are for those who guess an address.
    if path not in reached and 'is on the page' not in open(path, encoding='utf-8').read():
        page.wrong.append('no way leads here')
    for wrong in page.wrong:
        print('%s: %s' % (os.path.relpath(path, top), wrong))
        bad = True
print('%d pages, %d links' % (len(pages), count))
sys.exit(bad)
