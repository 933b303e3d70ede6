"""
Mounts a folder as a file system with other rules for names: special-file-system.py BACKING MOUNTPOINT OPTION...

fold        finds a file under each spelling of its name (case, Unicode form), and keeps the one that it got, as APFS
lazy-rename does nothing when a file is renamed to another spelling, without an error, as casefold on Linux
max-name=N  names of more bytes are refused, as by encrypted shares
no-links    has no hard links
no-modes    refuses to set modes

It stays in the foreground, and ends when it is unmounted.
"""
import errno
import os
import stat
import sys
import unicodedata

import fuse

fuse.fuse_python_api = (0, 2)
backing, mountpoint, *options = sys.argv[1:]
fold = 'fold' in options
max_name = next((int(each.split('=')[1]) for each in options if each.startswith('max-name=')), 255)


def key(name):
    return unicodedata.normalize('NFC', unicodedata.normalize('NFC', name).casefold())


def check(path):
    """Refuses names that are too long, also those that are only looked up."""
    for name in path.split('/'):
        if len(os.fsencode(name)) > max_name:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))


def real(path):
    """The path in the backing folder; names that exist in another spelling are replaced by that."""
    check(path)
    result = backing
    for name in path.split('/'):
        if name == '':
            continue
        if fold and not os.path.lexists(os.path.join(result, name)):
            try:
                listed = os.listdir(result)
            except OSError:
                listed = []
            name = next((each for each in listed if key(each) == key(name)), name)
        result = os.path.join(result, name)
    return result


def named(path):
    """The path that a new file gets, which keeps its own spelling."""
    return os.path.join(os.path.dirname(real(path)), os.path.basename(path))


class SpecialFileSystem(fuse.Fuse):
    def getattr(self, path):
        return os.lstat(real(path))

    def readdir(self, path, offset):
        folder = real(path)
        for name in ['.', '..'] + os.listdir(folder):
            status = os.lstat(os.path.join(folder, name))
            yield fuse.Direntry(name, ino=status.st_ino, type=stat.S_IFMT(status.st_mode))

    def readlink(self, path):
        return os.readlink(real(path))

    def unlink(self, path):
        os.unlink(real(path))

    def rmdir(self, path):
        os.rmdir(real(path))

    def symlink(self, target, path):
        os.symlink(target, named(path))

    def rename(self, old, new):
        source, target = real(old), real(new)
        if source == target:
            if 'lazy-rename' not in options:
                os.rename(source, named(new))
        else:
            os.rename(source, target if os.path.lexists(target) else named(new))

    def link(self, old, new):
        if 'no-links' in options:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        os.link(real(old), real(new))

    def chmod(self, path, mode):
        if 'no-modes' in options:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        os.chmod(real(path), mode)

    def chown(self, path, user, group):
        os.lchown(real(path), user, group)

    def truncate(self, path, size):
        os.truncate(real(path), size)

    def mkdir(self, path, mode):
        os.mkdir(real(path), mode)

    def utimens(self, path, accessed, modified):
        times = [each.tv_sec * 10**9 + each.tv_nsec for each in (accessed, modified)]
        os.utime(real(path), ns=tuple(times), follow_symlinks=False)

    def access(self, path, mode):
        if not os.access(real(path), mode):
            return -errno.EACCES

    def statfs(self):
        return os.statvfs(backing)

    class File:
        def __init__(self, path, flags, *mode):
            self.descriptor = os.open(real(path), flags & ~os.O_APPEND, *mode)

        def read(self, length, offset):
            return os.pread(self.descriptor, length, offset)

        def write(self, data, offset):
            return os.pwrite(self.descriptor, data, offset)

        def release(self, flags):
            os.close(self.descriptor)

        def fsync(self, only_data):
            os.fsync(self.descriptor)

        def fgetattr(self):
            return os.fstat(self.descriptor)

        def ftruncate(self, length):
            os.ftruncate(self.descriptor, length)


server = SpecialFileSystem()
server.file_class = SpecialFileSystem.File
server.multithreaded = False
mount_options = 'hard_remove,use_ino,attr_timeout=0,entry_timeout=0,ac_attr_timeout=0,allow_other'
server.parse(['-f', '-o', mount_options, mountpoint])
server.main()
